"""Time and memory that Etude takes, and how both grow. Run with `python -m benchmarks`."""
