"""A crawl's folder: open for writing, open to look at, and what it answers."""
