"""What an experiment came to, for people: pages, plots, tables, words."""
