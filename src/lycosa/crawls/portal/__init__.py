"""Search, narrow and browse a collection: columns of small integers by page in memory, and the full-text index."""
