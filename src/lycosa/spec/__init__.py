"""What a crawl is told: the specification, profiles of published crawls, names of strategies."""
