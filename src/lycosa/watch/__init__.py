"""What whoever looks on may follow of a running crawl."""
