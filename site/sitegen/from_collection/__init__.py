"""The content of a site made from a collection: public exercises, lessons, grading data."""
