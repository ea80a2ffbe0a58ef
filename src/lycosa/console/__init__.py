"""The page: watch, steer, search and browse crawls in a browser, and the same answers over HTTP for programs."""
