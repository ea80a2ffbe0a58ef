"""The live web: names, addresses, connections, bodies."""
