"""Lessons: Markdown whose Python cells are run, so that no number in them can be wrong."""
