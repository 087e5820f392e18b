"""The outcome of a test or a submission that ended with an error."""

from grader.grading.results.verdict import Outcome
from grader.sandbox.answers import Cause, ChildGoneError, Raised


def classify_error(raised: Raised | ChildGoneError) -> Outcome:
    """Return the outcome for an exception of the submission, or for the end of its process."""
    if isinstance(raised, ChildGoneError):
        has_timed_out = raised.cause in (Cause.CPU_TIME, Cause.WALL_TIME)
        return Outcome.TIMED_OUT if has_timed_out else Outcome.ERRORED
    if "MemoryError" in raised.bases:
        return Outcome.OUT_OF_MEMORY
    if raised.type == "OutputLimitError":
        return Outcome.OUTPUT_LIMIT
    return Outcome.ERRORED
