"""From files, folders, logs and earlier crawls to the inputs of strategies and topic models: one module a kind."""
