"""Searches for the mistake in a submission, which run programs again."""
