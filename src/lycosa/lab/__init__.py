"""Judging crawlers: the conformance kit."""
