"""A session of grading: an engine that grades jobs in turn, or one run of pytest."""
