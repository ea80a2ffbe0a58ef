"""The laboratory: tasks, the judge, what a crawl leaves for measuring, metrics, statistics, bounds, conformance."""
