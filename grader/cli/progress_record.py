"""The learner's record as commands use it: reading, adding, and choosing the next exercise.

A failure affects only the record, never the verdict.
"""

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.definitions.files import TRACK_FILE, exists, files_by_folder, folder_list
from grader.errors import EtudeError
from grader.grading.results.verdict import Outcome, Verdict
from grader.progress.history import Attempt, History, Programs, local_now
from grader.progress.status import (
    ExerciseStatus,
    NextExercise,
    choose_next_exercise,
    compute_status,
    compute_statuses,
    find_next_open,
)
from grader.progress.store import RecordError, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from grader.definitions.collection import Collection
    from grader.definitions.exercise import Exercise, ExerciseId
    from grader.definitions.track import LessonDefinition, Track, TrackDefinition

_SHORT_WAIT = 0.25  # seconds to wait for another command's write after a verdict
# Digest of an empty or missing file.
_EMPTY_DIGEST = hashlib.sha256(b"").hexdigest()
_FAILURES_BEFORE_HINT = 2  # failures after which a hint is offered


def read_history(*, hurried: bool = False) -> History:
    """Return the recorded history; if it cannot be read, warn and return an empty one."""
    try:
        return (Store(patience=_SHORT_WAIT) if hurried else Store()).read()
    except RecordError as error:
        warn(f"your progress cannot be read: {error}")
        return History()


def add_to_record(history: History, event: str, passed: Programs | None = None) -> bool:
    """Add to the record and return True; on failure, warn of the loss and return False."""
    try:
        Store().add(history, passed)
    except RecordError as error:
        warn(f"{event} is not recorded: {error}")
        return False
    return True


def warn(message: str) -> None:
    """Print one line to stderr."""
    click.echo(f"etude: {' '.join(message.split())}", err=True)


def find_track(exercise: "Exercise") -> "TrackDefinition | None":
    """Return the track in the exercise's folder if it lists the exercise, else None."""
    track = _read_track(exercise.where.path.absolute().parent)
    return track if track is not None and exercise.id in track.exercises else None


def exercise_after(
    exercise: "Exercise", history: History, *, skipping: bool = False
) -> "ExerciseId | None":
    """Return the exercise after this one: in its track, or else in another track.

    Args:
        exercise: The learner's current exercise.
        history: The record; finished exercises are skipped.
        skipping: True to go on without a pass, so that requirements do not count.
    """
    done = {name for name, candidate in compute_statuses(history).items() if candidate.is_done}
    current_track = find_track(exercise)
    if current_track is None:
        return None
    # Imports everything that reads and checks YAML.
    from grader.definitions.collection import load_exercise

    folder = exercise.where.path.absolute().parent.parent

    def requires(name: "ExerciseId") -> "tuple[ExerciseId, ...]":
        if skipping:
            return ()
        try:
            return load_exercise(name, folder).requires
        except EtudeError:
            return ()  # another author's mistake should not stop the learner here

    candidate = find_next_open(current_track.exercises, done, exercise.id, requires)
    if candidate is not None:
        return candidate
    try:
        folders = [below for below in files_by_folder(folder) if below != folder]
    except EtudeError:
        return None
    for track in map(_read_track, folders):
        if track is not None and track.id != current_track.id:
            candidate = find_next_open(track.exercises, done, exercise.id, requires)
            if candidate is not None:
                return candidate
    return None


def find_next_exercise(
    collection: "Collection", history: History, within: "Track | None" = None
) -> NextExercise | None:
    """Return the exercise of a collection or track to do now, or None if all are done."""
    if within is not None:
        exercises = within.exercises
    else:
        in_tracks = [each for track in collection.learning_order for each in track.exercises]
        exercises = (*in_tracks, *collection.standalone)
    requirements = {exercise.id: exercise.requires for exercise in exercises}
    return choose_next_exercise(history, tuple(requirements), requirements.__getitem__)


def unread_lesson(
    lessons: "Iterable[LessonDefinition]",
    exercise: "ExerciseId",
    statuses: "Mapping[ExerciseId, ExerciseStatus]",
) -> "LessonDefinition | None":
    """Return the lesson that introduces an exercise, unless one of its exercises was begun."""
    lesson = next((lesson for lesson in lessons if exercise in lesson.exercises), None)
    if lesson is None or any(name in statuses for name in lesson.exercises):
        return None
    return lesson


def exercises_suffix(exercises: tuple[Path, ...]) -> str:
    """Return the option, after a space, that makes a copied command find the same collection."""
    if not exercises or os.environ.get("ETUDE_EXERCISES") == folder_list(exercises):
        return ""
    import shlex

    return f" --exercises {shlex.quote(folder_list(exercises))}"


def _read_track(folder: Path) -> "TrackDefinition | None":
    """Return the valid track in a folder, or None."""
    path = folder / TRACK_FILE
    if not exists(path):
        return None
    from grader.definitions.decode import decode
    from grader.definitions.track import TrackDefinition
    from grader.definitions.yaml_source import read_yaml

    try:
        return decode(read_yaml(path), TrackDefinition)
    except EtudeError:
        return None


class FollowUp:
    """The follow-up of a check: record, advice and next exercise; created before the verdict.

    Args:
        exercises: The folders of the collection named on the command line.
        advises: True if a learner reads the output, so that advice follows it.
        spell: Writes a command for an exercise or lesson, given its name; None for a terminal.
    """

    def __init__(
        self,
        exercise: "Exercise",
        exercises: tuple[Path, ...],
        *,
        advises: bool,
        spell: "Callable[[str, str], str] | None" = None,
    ) -> None:
        self.exercise = exercise
        self._spell = spell or (
            lambda verb, name: f"etude {verb} {name}{exercises_suffix(exercises)}"
        )
        self._advises = advises
        self._history = read_history(hurried=True) if advises else History()

    def with_earned_xp(self, verdict: Verdict) -> Verdict:
        """Return the verdict with the XP that this learner earns for it."""
        if not verdict.xp or not self._advises:
            return verdict
        return replace(verdict, xp=self._status.available_xp(verdict.xp))

    def record(self, verdict: Verdict, source: str) -> None:
        """Record the attempt, and the program if it passed, unless nothing was judged."""
        if verdict.submission_hash == _EMPTY_DIGEST or verdict.outcome is Outcome.NOT_RUN:
            return
        attempt = History(attempts=(Attempt.from_verdict(verdict, self.exercise.xp, local_now()),))
        passed = {self.exercise.id: source} if verdict.outcome is Outcome.PASSED and source else {}
        add_to_record(attempt, "this attempt", passed)
        self._history += attempt

    def advice(self, verdict: Verdict) -> list[str]:
        """Return the lines of advice below the verdict, after `record`."""
        if not self._advises:
            return []
        if verdict.outcome is Outcome.PASSED:
            return list(self._pass_advice(verdict))
        now, hints = self._status, self.exercise.hints
        if now.failures < _FAILURES_BEFORE_HINT or now.hints >= len(hints):
            return []
        price = now.hint_price(hints)
        cost = f"costs {price} XP" if price else "is free"
        command = self._spell("hint", self.exercise.id)
        return [f"Stuck? Hint {now.hints + 1} of {len(hints)} {cost}: {command}"]

    @property
    def _status(self) -> ExerciseStatus:
        return compute_status(self._history, self.exercise.id)

    def _pass_advice(self, verdict: Verdict) -> "Iterator[str]":
        now = self._status
        passes = [
            attempt
            for attempt in self._history.attempts
            if attempt.exercise == self.exercise.id and attempt.has_passed
        ]
        if len(passes) > 1:
            if now.earned:
                yield f"You have its {now.earned} XP already."
        elif now.gave_up:
            yield "You had seen the solution, so this exercise earns no XP."
        elif now.paid:
            xp = self.exercise.xp
            price = min(now.paid, xp)
            yield f"{xp} XP less {price} for hints: you earn {now.earned}."
        elif verdict.hidden_elsewhere:
            yield f"+{now.earned} XP."
        if len(passes) == 1:
            from grader.progress.breaks import list_offers

            if count := len(list_offers(self.exercise, self._history)):
                each = "a wrong program for" if count == 1 else f"{count} wrong programs, each for"
                yield f"Break {each} 1 XP: {self._spell('break', self.exercise.id)}"

    def next_exercise(self, verdict: Verdict) -> "ExerciseId | None":
        """Return the next exercise after `record` of a pass, or None."""
        if not self._advises or verdict.outcome is not Outcome.PASSED:
            return None
        return exercise_after(self.exercise, self._history)

    def next_steps(self, verdict: Verdict) -> "Iterator[str]":
        """Yield the commands to continue with, after `record` of a pass."""
        next_id = self.next_exercise(verdict)
        if next_id is None:
            return
        track = find_track(self.exercise)
        lessons = track.lessons if track is not None else ()
        lesson = next((lesson for lesson in lessons if next_id in lesson.exercises), None)
        if lesson is not None and self.exercise.id not in lesson.exercises:
            yield f"Read first: {self._spell('lesson show', lesson.id)}"
        yield f"Next: {self._spell('start', next_id)}"
