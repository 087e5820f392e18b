"""The rules for definitions, beyond the types of their fields.

A rule is a function that yields problems with their places; the modules here hold them by what they
look at: the exercise as a whole, its tests, and the Python in both.
"""

import warnings

from grader.definitions.exercise import Exercise
from grader.definitions.rules import metadata_rules, program_rules, test_rules
from grader.definitions.rules.base import Checked, slug
from grader.definitions.rules.test_rules import MAX_SEEDS
from grader.definitions.yaml_source import Document
from grader.errors import ProblemList

__all__ = ["MAX_SEEDS", "check_exercise", "slug"]


def check_exercise(exercise: Exercise, document: Document) -> None:
    """Check an exercise against the file that it was decoded from.

    Raises:
        DefinitionError: A rule is broken; every breach is listed, in file order.
    """
    report = ProblemList()
    checked = Checked(exercise, document)
    with warnings.catch_warnings():
        # Python remarks on doubtful escapes; that is a linter's job.
        warnings.simplefilter("ignore")
        for rule in (*metadata_rules.RULES, *test_rules.RULES, *program_rules.RULES):
            for problem in rule(checked):
                report.add(problem.where, problem.message)
    report.raise_if_any()
