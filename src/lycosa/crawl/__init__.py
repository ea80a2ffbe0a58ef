"""One crawl as a state machine: events in, commands out. No I/O, no clock."""
