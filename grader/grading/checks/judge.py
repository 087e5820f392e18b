"""The judgement on a submission in one draw of a test of any kind."""

import contextvars
from dataclasses import replace

import numpy as np

from grader.definitions.exercise import CallTest, PropertyTest, TestCase
from grader.grading.checks import make_check
from grader.grading.checks.judgement import DiffersError, Judgement
from grader.grading.comparison.compare import Difference
from grader.grading.expected.oracle import Draw, Oracle, Pass
from grader.grading.program.author_code import TooLargeError
from grader.grading.program.loaded_program import LoadedProgram


def judge(program: LoadedProgram, oracle: Oracle, test: TestCase, draw: Draw) -> Judgement:
    """Judge a submission in one draw of a test.

    Raises:
        NoValueError, ChildGoneError: The submission raised an error or gave no readable value.
        TooLargeError: The submission's value is too large to be judged in memory.
        DefinitionError: The test cannot run with any submission.
    """
    child, check, passes = program.child, make_check(test), None
    # A judgement depends only on the child's answers. So the requests of an earlier pass are sent
    # again: if the answers are equal byte by byte, the draw passes without decoding or comparing.
    # Answers lack printed text, resource usage and the submission's own values, so tests that
    # need these are excluded.
    compares = isinstance(test, (CallTest, PropertyTest)) and test.budget is None
    if compares and not program.values and program.exercise.kind != "predict":
        passes = oracle.cache.passes(test, draw)
        place = child.repeat([each.exchanges for each in passes]) if passes else None
        if place is not None:
            return Judgement(None, passes[place].got)
    child.exchanges = None if passes is None else []
    try:
        with np.errstate(all="ignore"):  # the comparison reports NaN
            # In a context of its own, so that the author's NumPy settings end with the draw.
            judgement = contextvars.copy_context().run(check.judge, program, oracle, draw)
    except DiffersError as error:
        judgement = Judgement(error.difference)
    except MemoryError as error:  # from a comparison: the author's code raises `TooLargeError`
        raise TooLargeError from error
    if judgement.difference is None:
        if passes is not None and child.exchanges:
            oracle.cache.add_pass(passes, Pass(tuple(child.exchanges), judgement.got))
        return judgement
    if program.exercise.kind != "predict":
        return judgement
    kind, got = judgement.difference.kind, judgement.got
    names = list(check.used_names(program.exercise.defines))
    facts = {"names": names, "kind": kind, "got": got}
    if len(names) == 1:
        facts["is_quoted"] = isinstance(got, str) and not isinstance(draw.expected, str)
        facts["is_text"] = isinstance(draw.expected, str) and not isinstance(got, str)
    secret = Difference(kind, "answer", facts, worst=judgement.difference.worst)
    return replace(judgement, difference=secret)
