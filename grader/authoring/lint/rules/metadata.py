"""Rules about an exercise's place among others, and about its hints and misconceptions."""

import re
from collections.abc import Iterator
from typing import Final

from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import LintedExercise
from grader.definitions.wording import did_you_mean, quote
from grader.errors import Problem

MIN_MISCONCEPTIONS: Final = 3
MIN_HINTS: Final = 2
# Letters; short words, such as rope and nope, may legitimately differ in one letter.
_MIN_WORD: Final = 5


@rule("ETU101", "error")
def missing_misconceptions(subject: LintedExercise) -> Iterator[Problem]:
    """The exercise knows no misconception."""
    if not subject.exercise.misconceptions:
        yield subject.missing("no known mistake, with a sentence that unlocks it", "misconceptions")


@rule("ETU102", "warning")
def few_misconceptions(subject: LintedExercise) -> Iterator[Problem]:
    """The exercise knows fewer than three misconceptions."""
    count = len(subject.exercise.misconceptions)
    if 0 < count < MIN_MISCONCEPTIONS and not subject.exercise.is_prediction:
        message = f"only {count}; {MIN_MISCONCEPTIONS} or more known mistakes help more learners"
        yield subject.missing(message, "misconceptions")


@rule("ETU103", "warning")
def few_hints(subject: LintedExercise) -> Iterator[Problem]:
    """The exercise has fewer than two hints."""
    count = len(subject.exercise.hints)
    if count < MIN_HINTS:
        message = (
            f"{'only one' if count else 'none'}; give a nudge first, and nearly the answer last"
        )
        yield subject.missing(message, "hints")


@rule("ETU104", "warning")
def implied_prerequisite(subject: LintedExercise) -> Iterator[Problem]:
    """A prerequisite is required by another prerequisite already."""
    requires = subject.exercise.requires
    for index, name in enumerate(requires):
        for other in requires:
            if other != name and name in subject.neighbours.find_requirements(other):
                message = f"{quote(name)} is required by {quote(other)} already"
                yield subject.problem(message, "requires", index)
                break


@rule("ETU105", "warning")
def unused_prerequisite(subject: LintedExercise) -> Iterator[Problem]:
    """Nothing of a prerequisite is used."""
    own_concepts = set(subject.exercise.concepts)
    for index, name in enumerate(subject.exercise.requires):
        required = subject.neighbours.exercises.get(name)
        if required is None or own_concepts.intersection(required.concepts):
            continue
        for phrase in (required.id, required.title, *required.concepts, *required.defines):
            # A hyphen may be written as a space, and the last word as a plural.
            words = r"[-_\s]".join(map(re.escape, re.split(r"[-\s]", phrase.lower())))
            if re.search(rf"(?<!\w){words}s?(?!\w)", subject.words):
                break
        else:
            message = f"no concept and no defined name of {quote(name)} is used in this exercise"
            yield subject.problem(message, "requires", index)


@rule("ETU106", "error")
def later_prerequisite(subject: LintedExercise) -> Iterator[Problem]:
    """A prerequisite comes later in the track."""
    places = subject.neighbours.places
    track, position = places.get(subject.exercise.id, ("", 0))
    for index, name in enumerate(subject.exercise.requires):
        other_track, other_position = places.get(name, ("", 0))
        if track and track == other_track and other_position > position:
            message = f"{quote(name)} comes later in the track {quote(track)}"
            yield subject.problem(message, "requires", index)


@rule("ETU107", "warning")
def misspelled_concept(subject: LintedExercise) -> Iterator[Problem]:
    """A concept is spelled almost like one of another exercise."""
    counts = subject.neighbours.count_concepts()
    order = list(counts)
    for index, concept in enumerate(subject.exercise.concepts):
        rank = (-counts[concept], order.index(concept)) if concept in counts else (0, len(order))
        for number, other in enumerate(order):
            if (-counts[other], number) < rank and _is_respelled(concept, other):
                message = f"{quote(concept)} is spelled almost like {quote(other)}"
                yield subject.problem(
                    f"{message}, a concept of another exercise", "concepts", index
                )
                break


@rule("ETU110", "error")
def unknown_prerequisite(subject: LintedExercise) -> Iterator[Problem]:
    """A prerequisite is not an exercise of the collection."""
    ids = subject.neighbours.ids_around.get(subject.document.path.parent)
    for index, name in enumerate(subject.exercise.requires):
        if ids is not None and name not in ids:
            message = f"no exercise {quote(name)}{did_you_mean(name, sorted(ids))}"
            yield subject.problem(message, "requires", index)


def _is_respelled(one: str, other: str) -> bool:
    """Return whether two concepts differ only in hyphens, plurals, or one slip in a longer word.

    A slip is one wrong, missing or extra letter, or two exchanged neighbours.
    """
    if one == other:
        return False
    if _normalize_concept(one) == _normalize_concept(other):
        return True
    words, others = one.split("-"), other.split("-")
    if len(words) != len(others):
        return False
    pair, *more = [(a, b) for a, b in zip(words, others, strict=True) if a != b]
    short, long = sorted(pair, key=len)
    if more or len(short) < _MIN_WORD or len(long) > len(short) + 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    rest, long_rest = short[at:], long[at:]
    if len(short) < len(long):
        return rest == long_rest[1:]
    swapped = long_rest[1:2] + long_rest[:1] + long_rest[2:]
    return rest[1:] == long_rest[1:] or rest == swapped


def _normalize_concept(concept: str) -> str:
    return "".join(word.removesuffix("s") for word in concept.split("-"))
