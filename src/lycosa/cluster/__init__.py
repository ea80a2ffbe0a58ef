"""A crawl that is shared by several nodes, live: post between them, who leads them, and Ray beneath."""
