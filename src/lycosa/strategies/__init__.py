"""What is worth fetching next: one file a family."""
