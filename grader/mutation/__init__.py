"""Mutation of NumPy code: wrong programs made from a solution by one change of its syntax tree.

A mutant is the solution with one small change that a learner could have made: another axis, a
missing transpose, a missing scale, an inverted mask. An exercise is proven when its hidden tests
reject every mutant. This package reads and rewrites code; it never runs it.
"""

from grader.mutation.generate import Mutant, mutants
from grader.mutation.operators import OPERATORS, Operator

__all__ = ["OPERATORS", "Mutant", "Operator", "mutants"]
