"""The nouns of a crawl: URLs, records, commands, events, errors. Small, no I/O."""
