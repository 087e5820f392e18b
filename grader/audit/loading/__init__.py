"""Readers that turn the assignments of others into plain text to audit."""
