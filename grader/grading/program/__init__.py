"""Loading of a submission: screening, running it in a child, and proxies of what it defines."""
