"""Topic models and the text arithmetic beneath them."""
