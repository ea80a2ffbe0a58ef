"""From text to weighted terms, and likeness of texts."""
