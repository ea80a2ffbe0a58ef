"""Link analysis on whole graphs."""
