"""Lessons: Markdown whose Python cells are run, so that every number in it is computed."""
