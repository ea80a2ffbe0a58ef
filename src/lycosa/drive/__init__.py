"""What makes a crawl go: real time, virtual time."""
