"""HTML pages for instructors."""
