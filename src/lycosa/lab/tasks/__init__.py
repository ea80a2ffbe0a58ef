"""What is to be found, where to start from, and who knows the answers."""
