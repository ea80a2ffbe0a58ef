"""Crawls as tools for AI agents: the Model Context Protocol over stdio and HTTP."""
