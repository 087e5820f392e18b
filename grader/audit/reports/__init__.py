"""The report formats of an audit: pure functions from results to text."""
