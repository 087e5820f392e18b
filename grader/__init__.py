"""Etude: autograded NumPy exercises."""

__version__ = "0.1.0"
