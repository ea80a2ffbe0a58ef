"""Many crawls in one place: which there are, and new ones, each in a process of its own."""
