"""Wrong programs made from a right one: mutation of NumPy code, on the syntax tree alone.

A mutant is the solution with one small change that a learner could have made: an axis, a transpose,
a scale, a mask turned round. An exercise is proven when its hidden tests reject all of them. Code
is read and rewritten here, never run.
"""

from grader.mutation.generate import Mutant, mutants
from grader.mutation.operators import OPERATORS, Operator

__all__ = ["OPERATORS", "Mutant", "Operator", "mutants"]
