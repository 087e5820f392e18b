"""The store: people, submissions, verdicts, grades, and the log of all events."""
