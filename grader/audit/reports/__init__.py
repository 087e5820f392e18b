"""The formats of an audit: pure functions from the findings to a text."""
