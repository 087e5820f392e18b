"""`etude next`: name the exercise to do now."""

from pathlib import Path

import click

from grader.cli import options
from grader.cli.progress_record import (
    exercises_suffix,
    find_next_exercise,
    read_history,
    unread_lesson,
)
from grader.definitions.collection import Collection
from grader.definitions.public_exercise import estimated_minutes
from grader.progress.daily_set import choose_daily_set
from grader.progress.history import local_now
from grader.progress.status import compute_statuses
from grader.sandbox.printable import printable


@click.command("next")
@options.exercises_option
@click.option(
    "--course",
    type=options.PATH,
    metavar="NAME",
    help="Name today's set of a course instead: exercises for about ten minutes. NAME is what "
    "--exercises would be.",
)
def command(exercises: tuple[Path, ...], course: Path | None) -> None:
    """Name the exercise to do now, the lesson before it, and the commands to copy.

    What you tried last comes first, then what follows it.

    With --course it is a set for today: new exercises whose requirements you have passed, and then
    those that you passed longest ago. It stays the same all day.

    \b
    Examples:
      etude next
      etude next --course numpy-practice
    """
    if course is not None:
        _print_daily_set(course)
        return

    collection = Collection.load(*options.collection_folders(exercises))
    history = read_history()
    next_exercise = find_next_exercise(collection, history)
    if next_exercise is None:
        click.echo("All exercises are done.")
        return
    exercise, suffix = collection.find(next_exercise.exercise), exercises_suffix(exercises)
    click.echo(
        printable(f"{exercise.title} ({exercise.id}), {exercise.difficulty}, {exercise.xp} XP")
    )
    lessons = (lesson for track in collection.tracks for lesson in track.definition.lessons)
    if lesson := unread_lesson(lessons, exercise.id, compute_statuses(history)):
        click.echo(f"Read first: etude lesson show {lesson.id}{suffix}")
    if next_exercise.is_started:
        click.echo(f"Go on:      etude show {exercise.id}{suffix}")
    else:
        click.echo(f"Begin with: etude start {exercise.id}{suffix}")
    click.echo(f"Check:      etude check {exercise.id}{suffix}")


def _print_daily_set(course: Path) -> None:
    exercises = Collection.load(*options.collection_folders([course])).exercises
    history, suffix, today = read_history(), exercises_suffix((course,)), local_now().date()
    daily_exercises = choose_daily_set(exercises, history, today)
    done = {
        attempt.exercise
        for attempt in history.attempts
        if attempt.has_passed and attempt.day == today
    }
    minutes = sum(map(estimated_minutes, daily_exercises))
    click.echo(f"Today's set, {today.isoformat()}: about {minutes} min")
    longest = max((len(exercise.id) for exercise in daily_exercises), default=0)
    for exercise in daily_exercises:
        state = "done" if exercise.id in done else f"{estimated_minutes(exercise)} min"
        click.echo(printable(f"  {state:>6}  {exercise.id:{longest}}  {exercise.title}"))
    pending = next((exercise for exercise in daily_exercises if exercise.id not in done), None)
    if pending is None:
        click.echo("You have done today's set.")
        return
    click.echo(f"Begin with: etude start {pending.id}{suffix}")
    click.echo(f"Check:      etude check {pending.id}{suffix}")
