"""What to do next."""

from collections.abc import Callable, Collection, Sequence

from grader.definitions.exercise import ExerciseId


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
