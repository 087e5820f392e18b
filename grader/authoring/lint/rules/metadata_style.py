"""Rules about an exercise's place among others, and about the help that it gives."""

import re
from collections.abc import Iterator
from typing import Final

from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import Subject
from grader.definitions.wording import did_you_mean, quote
from grader.errors import Problem

MIN_MISCONCEPTIONS: Final = 3
MIN_HINTS: Final = 2
_MIN_WORD: Final = 5  # letters; short words, such as rope and nope, differ in one letter by right


@rule(
    "ETU101",
    "missing-misconceptions",
    "error",
    bad="""
    id: scaled-scores
    title: Scaled scores
    """,
    good=r"""
    misconceptions:
      - id: unscaled
        code: |
          def scaled_scores(Q, K):
              return Q @ K.T
        feedback: These are the scores before the division by $\sqrt{d_k}$.
    """,
)
def missing_misconceptions(subject: Subject) -> Iterator[Problem]:
    """The exercise knows no misconception.

    A misconception is a program that makes one mistake that people make, and the sentence that
    unlocks it. Without any, a learner only hears that numbers differ, and nothing shows that the
    tests can tell a wrong program from a right one.
    """
    if not subject.exercise.misconceptions:
        yield subject.missing("no known mistake, with a sentence that unlocks it", "misconceptions")


@rule(
    "ETU102",
    "few-misconceptions",
    "warning",
    bad="""
    misconceptions:
      - id: unscaled
        ...
    """,
    good="""
    misconceptions:
      - id: unscaled
        ...
      - id: scaled-by-d-k
        ...
      - id: keys-by-queries
        ...
    """,
)
def few_misconceptions(subject: Subject) -> Iterator[Problem]:
    """The exercise knows fewer than three misconceptions.

    Most tasks with arrays go wrong in more than two ways: the axis, the order of the operands, the
    scale, the shape of the result. An exercise to predict has only so many wrong answers, so this
    rule leaves it alone.
    """
    count = len(subject.exercise.misconceptions)
    if 0 < count < MIN_MISCONCEPTIONS and subject.exercise.kind != "predict":
        message = f"only {count}; {MIN_MISCONCEPTIONS} or more known mistakes help more learners"
        yield subject.missing(message, "misconceptions")


@rule(
    "ETU103",
    "few-hints",
    "warning",
    bad="""
    hints:
      - Think of the shapes.
    """,
    good="""
    hints:
      - Think of the shapes.
      - "`A @ B.T` holds the dot product of each row of `A` with each row of `B`."
    """,
)
def few_hints(subject: Subject) -> Iterator[Problem]:
    """The exercise has fewer than two hints.

    One hint cannot be both a nudge and a way out. The first should point at where to look, the last
    should leave little to guess.
    """
    count = len(subject.exercise.hints)
    if count < MIN_HINTS:
        message = (
            f"{'only one' if count else 'none'}; give a nudge first, and nearly the answer last"
        )
        yield subject.missing(message, "hints")


@rule(
    "ETU104",
    "implied-prerequisite",
    "warning",
    bad="requires: [softmax, attention-weights]  # attention-weights requires softmax",
    good="requires: [attention-weights]",
)
def implied_prerequisite(subject: Subject) -> Iterator[Problem]:
    """A prerequisite is required by another prerequisite already.

    The shorter list says the same, and stays right when the other exercise changes what it needs.
    """
    requires = subject.exercise.requires
    for index, name in enumerate(requires):
        for other in requires:
            if other != name and name in subject.neighbours.behind(other):
                message = f"{quote(name)} is required by {quote(other)} already"
                yield subject.problem(message, "requires", index)
                break


@rule(
    "ETU105",
    "unused-prerequisite",
    "warning",
    bad="""
    # nothing in this exercise is about positions
    requires: [sinusoidal-positions]
    concepts: [softmax]
    """,
    good="""
    requires: [similarity-scores]
    concepts: [dot-product, softmax]
    """,
)
def unused_prerequisite(subject: Subject) -> Iterator[Problem]:
    """Nothing of a prerequisite is used.

    Neither shares the exercise a concept with it, nor do its text or code mention one of its
    concepts, its title, or a name that it defines. Then learners are kept out for no reason, or a
    concept is missing from the list.
    """
    own = set(subject.exercise.concepts)
    for index, name in enumerate(subject.exercise.requires):
        required = subject.neighbours.exercises.get(name)
        if required is None or own.intersection(required.concepts):
            continue
        for phrase in (required.id, required.title, *required.concepts, *required.defines):
            # A hyphen may be a space in the text, and the last word a plural.
            words = r"[-_\s]".join(map(re.escape, re.split(r"[-\s]", phrase.lower())))
            if re.search(rf"(?<!\w){words}s?(?!\w)", subject.words):
                break
        else:
            message = f"no concept and no defined name of {quote(name)} is used in this exercise"
            yield subject.problem(message, "requires", index)


@rule(
    "ETU106",
    "later-prerequisite",
    "error",
    bad="""
    # track.yaml lists scaled-scores before softmax
    id: scaled-scores
    requires: [softmax]
    """,
    good="""
    # track.yaml lists similarity-scores before scaled-scores
    id: scaled-scores
    requires: [similarity-scores]
    """,
)
def later_prerequisite(subject: Subject) -> Iterator[Problem]:
    """A prerequisite comes later in the track.

    Anyone who walks through the track in order could never begin with the exercise.
    """
    places = subject.neighbours.places
    track, place = places.get(subject.exercise.id, ("", 0))
    for index, name in enumerate(subject.exercise.requires):
        other_track, other = places.get(name, ("", 0))
        if track and track == other_track and other > place:
            message = f"{quote(name)} comes later in the track {quote(track)}"
            yield subject.problem(message, "requires", index)


@rule(
    "ETU107",
    "misspelled-concept",
    "warning",
    bad="concepts: [sofmax, dot-products]  # elsewhere: softmax, dot-product",
    good="concepts: [softmax, dot-product]",
)
def misspelled_concept(subject: Subject) -> Iterator[Problem]:
    """A concept is spelled almost like one of another exercise.

    Concepts connect exercises by their spelling; `sofmax` or `dot-products` connects to nothing. Of
    two spellings the rarer one is reported, and of two equally rare ones the one that comes later.
    """
    counts = subject.neighbours.concepts()
    order = list(counts)
    for index, concept in enumerate(subject.exercise.concepts):
        rank = (-counts[concept], order.index(concept)) if concept in counts else (0, len(order))
        for number, other in enumerate(order):
            if (-counts[other], number) < rank and _looks_like(concept, other):
                message = f"{quote(concept)} is spelled almost like {quote(other)}"
                yield subject.problem(
                    f"{message}, a concept of another exercise", "concepts", index
                )
                break


@rule(
    "ETU110",
    "unknown-prerequisite",
    "error",
    bad="requires: [sofmax]  # the collection has softmax",
    good="requires: [softmax]",
)
def unknown_prerequisite(subject: Subject) -> Iterator[Problem]:
    """A prerequisite is no exercise of the collection.

    The collection is the folder around the folder of the track.
    """
    known = subject.neighbours.known.get(subject.document.path.parent)
    for index, name in enumerate(subject.exercise.requires):
        if known is not None and name not in known:
            message = f"no exercise {quote(name)}{did_you_mean(name, sorted(known))}"
            yield subject.problem(message, "requires", index)


def _looks_like(one: str, other: str) -> bool:
    """Return whether two concepts differ in hyphens, plurals, or one slip in one longer word.

    A slip is one letter that is wrong, missing or too many, or two neighbours that are swapped.
    """
    if one == other:
        return False
    if _joined(one) == _joined(other):
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


def _joined(concept: str) -> str:
    return "".join(word.removesuffix("s") for word in concept.split("-"))


HEAD_RULES = (
    missing_misconceptions,
    few_misconceptions,
    few_hints,
    implied_prerequisite,
    unused_prerequisite,
    later_prerequisite,
    misspelled_concept,
    unknown_prerequisite,
)
