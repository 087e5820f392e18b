"""Worker processes, and batches of submissions that they grade."""
