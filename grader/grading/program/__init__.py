"""Loading of a submission: its screening, its run in a child, and proxies for its names."""
