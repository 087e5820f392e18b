"""`etude next`: what to do now."""

from pathlib import Path

import click

from grader.cli import options


@click.command("next", short_help="Name the next exercise.")
@options.exercises_option
def command(exercises: Path | None) -> None:
    """Name the exercise to do now, the lesson before it, and the commands to copy.

    What you tried last comes first, then what follows it.

    \b
    Example:
      etude next
    """
    options.prefer_own_output()
    from grader.cli.progress_record import read_history, suffix, upcoming
    from grader.definitions.collection import Collection
    from grader.progress.status import standings
    from grader.sandbox.printable import printable

    collection = Collection.load(options.collection_folder(exercises))
    history = read_history()
    found = upcoming(collection, history)
    if found is None:
        click.echo("You have done all there is.")
        return
    exercise, more, known = collection.find(found.exercise), suffix(exercises), standings(history)
    click.echo(
        printable(f"{exercise.title} ({exercise.id}), {exercise.difficulty}, {exercise.xp} XP")
    )
    lessons = (lesson for track in collection.tracks for lesson in track.definition.lessons)
    for lesson in lessons:
        if exercise.id in lesson.exercises and not any(each in known for each in lesson.exercises):
            click.echo(f"Read first: etude lesson show {lesson.id}{more}")
    if found.begun:
        click.echo(f"Go on:      etude show {exercise.id}{more}")
    else:
        click.echo(f"Begin with: etude start {exercise.id}{more}")
    click.echo(f"Check:      etude check {exercise.id}{more}")
