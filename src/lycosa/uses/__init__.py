"""What is built from whole crawls: maps, page databases, a search engine's companion, a reader's companion."""
