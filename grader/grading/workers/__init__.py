"""Worker processes, and the batches of submissions that they grade."""
