"""A page as boxes within boxes, and which of them are its main text."""
