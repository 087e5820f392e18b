"""The exercise to do next."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from grader.definitions.exercise import ExerciseId
from grader.progress.history import History
from grader.progress.status import standings


@dataclass(frozen=True, slots=True)
class NextUp:
    """The next exercise; `begun` if it was tried last and is still open."""

    exercise: ExerciseId
    begun: bool


def next_up(
    history: History,
    order: Sequence[ExerciseId],
    requires: Callable[[ExerciseId], Collection[ExerciseId]],
) -> NextUp | None:
    """Return what was tried last, or else what follows it; None if all are done.

    Args:
        history: what the learner did.
        order: the exercises of all tracks.
        requires: see `next_open`.
    """
    closed = {name for name, found in standings(history).items() if found.closed}
    last = history.attempts[-1].exercise if history.attempts else None
    if last is not None and last in order and last not in closed:
        return NextUp(last, begun=True)
    following = next_open(order, closed, last, requires)
    return None if following is None else NextUp(following, begun=False)


def next_open(
    order: Sequence[ExerciseId],
    closed: Collection[ExerciseId],
    after: ExerciseId | None,
    requires: Callable[[ExerciseId], Collection[ExerciseId]],
) -> ExerciseId | None:
    """Return the exercise to take up next, or None if all are done.

    The first whose requirements are all done, or the first of all if there is none such.

    Args:
        order: the exercises of a track.
        closed: those that are passed or given up.
        after: the one that was done last: the search begins behind it, and comes round to what was
            left out before it.
        requires: called for one exercise after another, until one will do.
    """
    begin = order.index(after) + 1 if after in order else 0
    around = [*order[begin:], *order[:begin]]
    ahead = [name for name in around if name not in closed and name != after]
    ready = (name for name in ahead if all(each in closed for each in requires(name)))
    return next(ready, ahead[0] if ahead else None)
