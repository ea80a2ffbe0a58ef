"""Strategies that learn which features lead to pages that satisfy a predicate."""
