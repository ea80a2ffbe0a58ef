"""What a crawl keeps on disk: journal, frontier, full-text index."""
