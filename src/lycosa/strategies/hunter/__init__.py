"""lycosa's own strategy."""
