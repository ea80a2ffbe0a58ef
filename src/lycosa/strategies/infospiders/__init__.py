"""Populations of agents that learn while they crawl."""
