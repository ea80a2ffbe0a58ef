"""A crawl as a map: its pages as a tree and a graph, for people and for programs."""
