"""What links say of the pages they lead to."""
