"""Machine learning and numerical methods in plain NumPy: the answers of this course."""
