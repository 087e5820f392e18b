"""Code that a proof sends to where a submission runs; it imports nothing of the grader."""
