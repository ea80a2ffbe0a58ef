"""What may be fetched now: the protocol, its invariants, the memory frontier and its naive twin."""
