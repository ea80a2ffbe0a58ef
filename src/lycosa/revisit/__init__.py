"""When to visit a page again: what its history tells of it, and policies that share the requests among pages."""
