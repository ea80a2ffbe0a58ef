"""The answers as JSON under `/api/v1`."""
