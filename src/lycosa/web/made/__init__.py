"""Webs that were made up, and faults that are put into any web."""
