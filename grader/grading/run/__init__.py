"""One submission taken through the tests of an exercise."""
