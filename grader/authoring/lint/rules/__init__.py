"""The lint rules, grouped by subject."""
