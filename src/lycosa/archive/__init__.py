"""WARC files and their CDXJ index."""
