"""Clusters of crawlers in the laboratory: under virtual time, and counted at scale."""
