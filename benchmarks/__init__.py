"""What Etude costs: time, memory and how both grow. Run with `python -m benchmarks`."""
