"""Inputs and expected values of an exercise's tests, and their public form."""
