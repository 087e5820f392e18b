"""Pages for instructors: what was handed in, what it came to, and what waits for them."""
