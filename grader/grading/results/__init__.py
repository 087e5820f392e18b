"""Submissions, jobs, verdicts and their JSON."""
