"""Crawls that several nodes share, in the laboratory."""
