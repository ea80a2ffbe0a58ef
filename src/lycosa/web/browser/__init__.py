"""Chromium, led over its DevTools protocol, as a thing that makes no request of its own."""
