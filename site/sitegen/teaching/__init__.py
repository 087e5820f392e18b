"""The figures of lessons as the templates print them, one module for each kind.

What they show at first is computed here; `site/frontend/src/figures` has the same formulas for what
a reader chooses.
"""
