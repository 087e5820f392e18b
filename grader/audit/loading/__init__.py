"""Readers that convert assignments of other formats to plain source."""
