"""Tools for authors: verification, lint, templates and imports."""
