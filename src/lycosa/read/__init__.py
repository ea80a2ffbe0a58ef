"""Bytes to documents: markup, charset, language, digests."""
