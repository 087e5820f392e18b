"""`etude export`: files for students, autograders and learning platforms."""

import codecs
from pathlib import Path
from typing import Any

import click

from grader.authoring.targets import find_targets
from grader.cli import options
from grader.cli.grading_rules import read_graded, read_rules, rules_options
from grader.cli.server_extra import read_stored, require_one_source, stored_option
from grader.course.autograder.gradescope_zip import Installation, make_autograder, read_assigned
from grader.course.csv_rows import read_text, without_separator
from grader.course.roster_file import list_student_ids
from grader.definitions.collection import load_exercise_file, load_track
from grader.definitions.files import folder_list
from grader.definitions.student_edition import write_bundle
from grader.definitions.wording import plural
from grader.errors import UsageError
from grader.reports.canvas_csv import fill, sum_scores
from grader.reports.report import Batch, HiddenTests, Report
from grader.reports.to_platforms import gradescope as gradescope_result
from grader.sandbox.printable import printable


@click.group("export")
def command() -> None:
    """Write what others need: a bundle for students, an autograder, or grades for a platform."""


@command.command("student")
@click.argument("folder", type=options.PATH)
@options.exercises_option
def student(folder: Path, exercises: tuple[Path, ...]) -> None:
    """Write every exercise to FOLDER without hidden tests, solutions, explanations, misconceptions.

    Tracks and lessons go along as they are. FOLDER names the functions of `reference` that tests
    compare with; their code is not in it but in every installed Etude, for all to read.

    `etude check` accepts the folder with --exercises; it runs the visible tests and says that the
    hidden ones are run by the course.

    \b
    Examples:
      etude export student handout/
      etude check --exercises handout/ attention-weights my_solution.py
    """
    collection, *others = options.collection_folders(exercises)
    if others:
        raise UsageError("a student edition is made of one collection; name one folder")
    paths = write_bundle(collection, folder)
    click.echo(f"{len(paths)} files in {folder}")


@command.command("notebook")
@click.argument("target", metavar="EXERCISE|TRACK")
@options.output_option("Where to write the notebook, by default <exercise>.ipynb or <track>.ipynb.")
@options.exercises_option
def notebook(target: str, output: Path | None, exercises: tuple[Path, ...]) -> None:
    """Write EXERCISE as a Jupyter notebook to hand out: instructions, starter, visible tests.

    It has no hidden test and no solution. Students write into the starter's cell, run the tests
    in the notebook, and submit it as it is. The notebook of a TRACK has all its exercises, each
    with a cell that grades it, and is submitted as one file.

    \b
    Examples:
      etude export notebook attention-weights
      etude export notebook numpy-warmup
      etude export notebook my-course/rope/07-rope.yaml --output handout/rope.ipynb
    """
    from grader.course.handout_notebook import make_handout, make_track_handout  # needs Linux

    course = folder_list(exercises) or None
    group, *others = find_targets([target], *options.collection_for([target], exercises))
    if others or (group.track is None and len(group.files) != 1):
        raise UsageError(f"{target} is neither an exercise nor a track; name one of them")
    if group.track:
        track = load_track(group.track)
        name, title = str(track.definition.id), track.definition.title
        content = make_track_handout(track, course)
    else:
        exercise = load_exercise_file(group.files[0])
        name, title = str(exercise.id), exercise.title
        if exercise.files_to_submit:
            raise UsageError(f"{name} asks for several files; hand out what 'etude start' writes")
        content = make_handout(exercise, course)
    path = output or Path(f"{name}.ipynb")
    if path.exists():
        raise UsageError(f"{path} is there already and stays as it is; name another with --output")
    options.write_file(path, content)
    click.echo(f"{path}: {title}")


@command.command("gradescope")
@click.argument("targets", nargs=-1, required=True, metavar="EXERCISE...")
@options.output_option("Where to write the zip.", default="autograder.zip", show_default=True)
@click.option(
    "--etude", "installed", metavar="WHEEL|REQUIREMENT",
    help="What the autograder installs: a file, or a requirement for pip. By default a wheel of "
    "the checkout that runs now, with the versions in its lock.",
)  # fmt: skip
@options.hidden_tests_option
@options.exercises_option
def gradescope(
    targets: tuple[str, ...],
    *,
    output: Path,
    installed: str | None,
    hidden_tests: HiddenTests,
    exercises: tuple[Path, ...],
) -> None:
    """Write an autograder for Gradescope that grades each EXERCISE, hidden tests and all.

    EXERCISE is an id, a track, or a path. Students upload a file for each exercise, named after it;
    if there is only one exercise, its file may have any name. The zip holds hidden tests and
    solutions: it is for Gradescope alone.

    \b
    Examples:
      etude export gradescope attention-weights
      etude export gradescope token-lookup attention-weights --output week-1.zip
      etude export gradescope my-course/rope/ --etude dist/etude-*.whl
      etude export gradescope attention-weights --hidden-tests after_due_date
    """
    groups = find_targets(targets, *options.collection_for(targets, exercises))
    exercises_to_grade = read_assigned(path for group in groups for path in group.files)
    installation = (
        Installation.from_checkout() if installed is None else Installation.parse(installed)
    )
    # The results that Gradescope shows if grading fails altogether.
    faults = Batch(
        tuple(
            Report.from_fault(str(assigned.exercise.id), "", "") for assigned in exercises_to_grade
        )
    )
    content = make_autograder(
        exercises_to_grade, installation, gradescope_result(faults), hidden_tests
    )
    options.write_file(output, content)
    points = sum(assigned.exercise.max_points for assigned in exercises_to_grade)
    number = plural(len(exercises_to_grade), "exercise")
    click.echo(f"{output}: {number}, {points} points, {len(content) >> 10} KiB")


@command.command("canvas")
@click.argument("gradebook", type=options.EXISTING_FILE)
@click.argument("results", nargs=-1, type=options.EXISTING_FILE)
@stored_option
@click.option("--column", required=True, metavar="NAME", help="The assignment's column.")
@click.option(
    "--exercise", "exercises", multiple=True, metavar="ID",
    help="What counts; may be given several times. Not needed if the results are about one.",
)  # fmt: skip
@click.option(
    "--match", "identity", default="SIS Login ID", show_default=True, metavar="NAME",
    help="The column that has the names of the students' folders; ID may be in the roster instead.",
)  # fmt: skip
@rules_options
@click.option("--scale", is_flag=True, help="Convert to the points of the assignment in Canvas.")
@click.option("--skip-unknown", is_flag=True, help="Leave out who is not in the gradebook.")
@options.output_option("Where to write the filled gradebook.", required=True)
def canvas(
    gradebook: Path,
    results: tuple[Path, ...],
    output: Path,
    exercises: tuple[str, ...],
    *,
    database: str | None,
    column: str,
    identity: str,
    scale: bool,
    skip_unknown: bool,
    **rule_options: Any,
) -> None:
    """Fill an assignment's column in a GRADEBOOK that Canvas exported, from RESULTS or a database.

    RESULTS are files that `etude grade --output` wrote; a database has the published grades. Points
    are those of `etude report` with the same roster, late rule and overrides. Who has no verdict
    keeps what is in the gradebook, and so does who is excused there. Canvas imports the file that
    is written.

    \b
    Examples:
      etude export canvas grades.csv results.jsonl --column "Attention" --output filled.csv
      etude export canvas grades.csv results.jsonl --column "W1" --roster roster.csv --due
        2026-12-01T18:00 --late 0.9/day --overrides overrides.csv --output filled.csv
      etude export canvas grades.csv --database sqlite:///etude.db --column "W1" --output new.csv
    """
    options.refuse_input_as_output(output, (gradebook, *results))
    require_one_source(results, database)
    rules = read_rules(**rule_options)
    if database is None:
        batch = read_graded(results, rules)
    elif rules != type(rules)():
        raise UsageError("a database has published grades: give --roster and rules with files only")
    else:
        batch = read_stored("make_batch", database)
    mark = "\ufeff" if gradebook.read_bytes().startswith(codecs.BOM_UTF8) else ""
    text = mark + without_separator(read_text(gradebook))
    scores = sum_scores(batch, exercises)
    if identity == "ID" and rule_options["roster"] is not None:
        ids = list_student_ids(rule_options["roster"])
        scores = {ids.get(student) or student: score for student, score in scores.items()}
    try:
        filled_gradebook = fill(
            text, scores, column=column, identity=identity, scale=scale, skip_unknown=skip_unknown
        )
    except UsageError as error:
        raise UsageError(f"{gradebook}: {error}") from None
    options.write_file(output, filled_gradebook.text)
    click.echo(f"{filled_gradebook.graded} grades in {filled_gradebook.column!r} of {output}")
    excused_students = {report.student or "" for report in batch if report.is_excused}
    for names, description in (
        (
            sorted(name for name in excused_students if scores.get(name)),
            "excused from a part, scaled",
        ),
        (filled_gradebook.without_result, "without a verdict, left as they are"),
        (filled_gradebook.left_alone, "excused or not assigned, left as they are"),
        (filled_gradebook.unknown, "not in the gradebook, left out"),
    ):
        if names:
            click.echo(f"{len(names)} {description}: {printable(', '.join(names))}")
