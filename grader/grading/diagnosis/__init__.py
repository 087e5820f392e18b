"""The search for the known mistake that explains all failures of a submission."""
