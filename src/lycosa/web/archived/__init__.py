"""Archives elsewhere as webs: Common Crawl, the Wayback Machine, any that has a CDX index."""
