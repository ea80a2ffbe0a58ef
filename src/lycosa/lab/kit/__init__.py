"""For authors of strategies: what every strategy must keep to, and an environment to learn in."""
