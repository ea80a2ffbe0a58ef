"""Strategies made of another strategy and one change to it."""
