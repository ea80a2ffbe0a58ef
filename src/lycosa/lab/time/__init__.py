"""The laboratory in time: pages that change, policies that visit them again, and what their copies were worth."""
