"""How relevant a page is, by each way to say what is wanted."""
