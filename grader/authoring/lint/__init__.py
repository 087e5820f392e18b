"""Lint rules, which check an exercise's files without running any of its code."""
