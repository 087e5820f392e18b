"""Submissions: files, folders, zips and notebooks as they arrive, and which of them count."""
