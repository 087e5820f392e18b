"""Inputs and expected values of an exercise's tests, and the public form of both."""
