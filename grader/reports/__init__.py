"""Report formats: one renderer each for the same verdict."""
