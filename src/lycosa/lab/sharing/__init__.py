"""The laboratory of shared crawls: clusters of crawlers under virtual time, and what they came to."""
