"""Where a crawl lives on disk: the journal, the frontier, the full-text index. Imports no other room's I/O."""
