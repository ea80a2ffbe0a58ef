"""The folder of a crawl that several nodes share: one collection, asked as any other crawl."""
