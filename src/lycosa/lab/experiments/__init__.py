"""What is compared with what, all its crawls, and what they come to."""
