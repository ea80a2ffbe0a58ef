"""Recorded and generated webs, read once, on which any number of crawls can be run."""
