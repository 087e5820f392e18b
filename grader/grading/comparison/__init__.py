"""Comparison of a value with the expected value, and the relation between the two."""
