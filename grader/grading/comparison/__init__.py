"""Comparison of a value with the expected one, and how the two are related."""
