"""The report of a crawl: one HTML page that needs nothing else."""
