"""One verdict, many renderers."""
