"""Submissions: files, folders, zips and notebooks, and the choice of those that count."""
