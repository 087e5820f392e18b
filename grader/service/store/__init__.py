"""The store is the truth: who handed in what, what it came to, and everything that happened."""
