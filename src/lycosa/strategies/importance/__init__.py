"""Strategies that go by the importance of pages, whatever the topic."""
