"""Staff actions on a course, each with its rules, its transaction and its audit record."""
