"""A *try this* of a lesson: a change of the cell above, with a guess at what it does."""

from dataclasses import dataclass
from typing import Final

from grader.errors import Location
from grader.lessons.computed_text import ComputedText, split_values
from grader.lessons.fence import Fence, error, only, read_fields

_FEWEST_GUESSES: Final = 2
_MOST_GUESSES: Final = 4


@dataclass(frozen=True, slots=True)
class Experiment:
    """A text to replace in the cell above, guesses to choose from, and the reason."""

    where: Location
    prompt: str
    find: str
    put: str
    guesses: tuple[tuple[str, bool], ...]  # each with whether it is right
    why: ComputedText  # its values are computed after the changed cell


def read_experiment(fence: Fence) -> Experiment:
    """Read what stands between the fences.

    Raises:
        DefinitionError: A key is not known or missing, or there is not one right guess.
    """
    if len(fence.words) > 1:
        raise fence.error(f"expected nothing after 'try', found '{fence.words[1]:.40}'")
    keys = ("find", "put", "right", "wrong", "why")
    prompt, fields = read_fields(fence, keys)
    find, put, why = (only(fields, key, fence.where) for key in ("find", "put", "why"))
    only(fields, "right", fence.where)
    guesses = [each for each in fields if each.key in ("right", "wrong")]
    if not _FEWEST_GUESSES <= len(guesses) <= _MOST_GUESSES:
        raise fence.error(
            f"expected {_FEWEST_GUESSES} to {_MOST_GUESSES} guesses, found {len(guesses)}"
        )
    if len({each.value for each in guesses}) < len(guesses):
        raise error(guesses[-1].where, "two guesses are the same")
    if find.value == put.value:
        raise error(put.where, "this changes nothing")
    return Experiment(
        prompt.where,
        prompt.value,
        find.value,
        put.value,
        tuple((each.value, each.key == "right") for each in guesses),
        split_values(why.value, fence.path, why.where.line),
    )
