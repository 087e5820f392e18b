"""The cost of the service beside the grading. Run with `python -m benchmarks.service`."""
