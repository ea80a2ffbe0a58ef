"""How good a crawl was, what was possible, and how sure that is. Knows no experiments."""
