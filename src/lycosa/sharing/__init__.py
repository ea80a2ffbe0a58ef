"""Several crawlers, one crawl: who sees to what, and what they tell one another. Pure."""
