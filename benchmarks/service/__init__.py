"""What the service costs beside the grading. Run with `python -m benchmarks.service`."""
