"""The run of one submission through the tests of an exercise."""
