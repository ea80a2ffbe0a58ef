"""What a crawl gives to those who build corpora: its pages chosen, copies named, and what was left out counted."""
