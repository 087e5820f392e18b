"""The command line: `etude`."""
