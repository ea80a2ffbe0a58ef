"""Ranking functions, evolved in simulated crawls."""
