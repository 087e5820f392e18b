"""`etude lesson`: read lessons in the terminal, or compare their output with the recorded one."""

import contextlib
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from grader.cli import options
from grader.cli.main import EXIT_NOT_PASSED
from grader.cli.progress_record import exercises_suffix
from grader.definitions.collection import Collection
from grader.definitions.course_file import load_course
from grader.definitions.files import (
    LESSON_SUFFIX,
    TRACK_FILE,
    all_lesson_files,
    course_file,
    exists,
    folder_list,
    id_in_name,
    is_path,
    lesson_files,
    path_hint,
    read_file,
)
from grader.definitions.wording import did_you_mean, plural
from grader.errors import DefinitionError, Problem, UsageError
from grader.lessons.blocks import (
    Block,
    BreakTask,
    Cell,
    ChoiceQuestion,
    Exercises,
    Experiment,
    NumberQuestion,
    PlotDisplay,
    Prose,
    Question,
)
from grader.lessons.execute import run_lesson
from grader.lessons.figure import Figure
from grader.lessons.lesson import read_lesson
from grader.lessons.recorded_output import differences, record, record_path
from grader.lessons.reply import Reply, describe_right_answer, judge_answer
from grader.reports.terminal_markdown import print_code, print_markdown
from grader.reports.terminal_matrices import print_heatmap
from grader.sandbox.backends import unsupported_reason
from grader.sandbox.printable import printable

if TYPE_CHECKING:
    from grader.sandbox.portable import PortableSandbox
    from grader.sandbox.process import Sandbox


@click.group("lesson")
def command() -> None:
    """Read the lessons of a collection, or check that they show what they showed.

    \b
    Examples:
      etude lesson show scaling
      etude lesson run
    """


@command.command("show", short_help="Read a lesson in the terminal.")
@click.argument("lesson", required=False, shell_complete=options.complete_lesson)
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="N=ANSWER",
    help="Show the reply to an answer of question N instead, or with N alone the right answer.",
)
@options.exercises_option
@options.unsafe_option
def show(
    lesson: str | None, answers: tuple[str, ...], exercises: tuple[Path, ...], unsafe: bool
) -> None:
    """Run LESSON, an id or a path, and show it: prose, code, what it prints, and its heatmaps.

    A terminal asks each question where it stands. Without LESSON, list the lessons of each track.

    \b
    Examples:
      etude lesson show
      etude lesson show scaling
      etude lesson show scaling | less
      etude lesson show scaling --answer 1=2 --answer 2=C
      etude lesson show drafts/lessons/03-scaling.md
    """
    folders = options.collection_folders(exercises)
    if lesson is None:
        _list_lessons(folders)
        return
    path = _find_lesson(lesson, folders)
    unrun_lesson = read_lesson(path)
    packages = _find_packages([path])
    sandbox: Sandbox | PortableSandbox
    if unsupported_reason() is None:
        sandbox = options.sandbox_opener(unsafe)(packages)
    else:
        from grader.cli import portable_check
        from grader.sandbox import portable

        portable_check.ask_consent(unsafe=unsafe)
        sandbox = portable.PortableSandbox(packages)
    with sandbox:
        blocks = run_lesson(unrun_lesson, sandbox).blocks
    questions = [block for block in blocks if isinstance(block, (ChoiceQuestion, NumberQuestion))]
    console = Console(highlight=False)
    if answers:
        _reply_to(console, questions, answers)
        return
    asks = sys.stdin.isatty() and console.is_terminal
    _show_blocks(console, blocks, exercises, asks=asks)
    if questions and not asks:
        command = f"etude lesson show {lesson} --answer 1=...{exercises_suffix(exercises)}"
        console.print(f"\nTo answer question 1: {command}", markup=False, soft_wrap=True)


def _show_blocks(
    console: Console, blocks: Sequence[Block], exercises: tuple[Path, ...], *, asks: bool
) -> None:
    """Show blocks, and ask their questions if someone is there to answer."""
    numbers = itertools.count(1)

    def is_asked(block: Block) -> bool:
        return asks and isinstance(block, (ChoiceQuestion, NumberQuestion))

    for are_questions, group in itertools.groupby(blocks, is_asked):
        # The text between two questions can be longer than the terminal.
        with contextlib.nullcontext() if are_questions else options.pager(console):
            for index, block in enumerate(group):
                if index or are_questions:
                    console.print()
                if isinstance(block, (ChoiceQuestion, NumberQuestion)):
                    _show_question(console, block, next(numbers))
                    if are_questions:
                        _ask_question(console, block)
                else:
                    _show_block(console, block, exercises)


def _reply_to(console: Console, questions: Sequence[Question], answers: tuple[str, ...]) -> None:
    """Print the reply to each `N=ANSWER`, and the right answer for each plain `N`."""
    for text in answers:
        number, is_answered, answer = text.partition("=")
        if number not in map(str, range(1, len(questions) + 1)):
            raise UsageError(f"there is no question '{number}'; they are 1 to {len(questions)}")
        question = questions[int(number) - 1]
        if not is_answered:
            print_markdown(console, describe_right_answer(question))
            continue
        outcome = judge_answer(question, answer)
        if outcome is None:
            raise UsageError(
                f"'{answer}' is not an answer to question {number}: {_answer_hint(question)}"
            )
        print_markdown(console, _reply_text(outcome))


def _ask_question(console: Console, question: Question) -> None:
    """Ask until the answer is right or empty; then show the right answer."""
    while True:
        console.print()
        prompt = f"{_answer_hint(question)}, or Enter to see the answer"
        answer = click.prompt(prompt, default="", show_default=False)
        if not answer.strip():
            print_markdown(console, describe_right_answer(question))
            return
        judgement = judge_answer(question, answer)
        if judgement is not None:
            print_markdown(console, _reply_text(judgement))
            if judgement.is_right:
                return


def _answer_hint(question: Question) -> str:
    """Describe the form of a question's answer."""
    if isinstance(question, ChoiceQuestion):
        return f"a letter, A to {question.choices[-1].letter}"
    return "a number, such as 1.5 or 3/2"


def _reply_text(reply: Reply) -> str:
    return f"**{'Right.' if reply.is_right else 'Not yet.'}** {reply.reason}"


def _list_lessons(folders: Sequence[Path]) -> None:
    """Print the id and title of each lesson, grouped by track."""
    tracks = [track.definition for track in Collection.load(*folders).tracks]
    if not any(track.lessons for track in tracks):
        raise UsageError(f"there are no lessons in {folder_list(folders)}")
    longest = max(len(lesson.id) for track in tracks for lesson in track.lessons)
    for track in tracks:
        if track.lessons:
            click.echo(f"{track.title} ({track.id})")
        for lesson in track.lessons:
            click.echo(f"  {lesson.id:{longest}}  {lesson.title}")


def _show_question(console: Console, question: Question, number: int) -> None:
    choices = question.choices if isinstance(question, ChoiceQuestion) else ()
    lines = [f"- {choice.letter}: {choice.text}" for choice in choices]
    print_markdown(console, "\n".join((f"**Question {number}.** {question.prompt}", "", *lines)))


def _show_block(
    console: Console,
    block: Prose | Cell | Figure | Exercises | Experiment | BreakTask,
    exercises: tuple[Path, ...],
) -> None:
    suffix = exercises_suffix(exercises)
    match block:
        case Prose():
            title = f"**{block.title}**\n\n" if block.title else ""
            print_markdown(console, f"{title}{block.text}")
        case Cell():
            _show_cell(console, block)
        case Exercises(ids=ids):
            for name in ids:
                _print_command(console, f"Exercise: etude start {name}{suffix}")
        case BreakTask():
            mistakes = options.resolve_exercise(block.exercise, exercises).misconceptions
            # A student edition has no mistakes, and the program appears only after a pass.
            if mistakes:
                print_markdown(console, f"**Break it.** {block.prompt}")
                command = f"etude break {block.exercise} {block.misconception}{suffix}"
                _print_command(console, f"After a pass, the program: {command}")
        case Experiment():
            right = next(text for text, is_right in block.guesses if is_right)
            change = f"In the code above, write `{block.put}` in place of `{block.find}`."
            outcome = f"What happens: {right}. {block.why}"
            print_markdown(console, f"**Try this.** {block.prompt} {change} {outcome}")
        case Figure():
            what = block.get("sentence") or block.get("alt")
            about = f" ({what})" if what else ""
            note = f"Figure on the lesson's page: {block.title}{about}"
            console.print(note, style="italic", markup=False)


def _print_command(console: Console, text: str) -> None:
    console.print(text, style="bold", markup=False, soft_wrap=True)


def _show_cell(console: Console, cell: Cell) -> None:
    """Show a cell's code, followed by its output as in a Python session."""
    if cell.title:
        print_markdown(console, f"**{cell.title}**")
    if not cell.hidden:
        print_code(console, cell.code)
    if cell.printed:
        if not cell.hidden:
            console.print()
        console.print(printable(cell.printed.rstrip("\n"), "\n"), markup=False, soft_wrap=True)
    for number, output in enumerate(cell.displays):
        if number or not cell.hidden or cell.printed:
            console.print()
        if output.title:
            console.print(printable(output.title), style="italic", markup=False)
        if isinstance(output, PlotDisplay):
            console.print(printable(f"[picture: {output.alt}]"), markup=False)
            continue
        values, is_heatmap = output.values.tolist(), output.kind == "heatmap"
        print_heatmap(console, values, output.rows, output.columns, shaded=is_heatmap)


@command.command("run")
@click.argument("lessons", nargs=-1, metavar="[LESSON]...")
@click.option("--update", is_flag=True, help="Write down what the lessons show now.")
@options.exercises_option
@options.unsafe_option
def run(lessons: tuple[str, ...], update: bool, exercises: tuple[Path, ...], unsafe: bool) -> None:
    """Run every cell of each LESSON, or of all, and fail on any difference to the record.

    A LESSON is an id, a path, or the folder of a track.

    \b
    Examples:
      etude lesson run
      etude lesson run softmax
      etude lesson run exercises/attention
      etude lesson run --update exercises/attention/lessons/03-scaling.md
    """
    problems: list[Problem] = []
    folders = options.collection_folders(exercises)
    paths = [] if lessons else _refuse_none(all_lesson_files(*folders), folder_list(folders))
    for name in lessons:
        if is_path(name) and exists(Path(name) / TRACK_FILE):  # the folder of a track
            paths += _refuse_none(lesson_files(Path(name)), name)
        else:
            paths.append(_find_lesson(name, folders))
    with options.sandbox_opener(unsafe)(_find_packages(paths)) as sandbox:
        for path in paths:
            try:
                lesson = run_lesson(read_lesson(path), sandbox)
                if not update:
                    problems += differences(lesson)
                    continue
            except DefinitionError as error:
                problems += error.problems
                continue
            target = record_path(path)
            target.parent.mkdir(exist_ok=True)
            options.write_file(target, record(lesson))
    for problem in problems:
        click.echo(str(problem), err=True)
    verb = "written down" if update else "as recorded"
    click.echo(f"{plural(len(paths), 'lesson')} run, {len(paths) - len(problems)} {verb}")
    raise click.exceptions.Exit(EXIT_NOT_PASSED if problems else 0)


def _refuse_none(lessons: list[Path], folder: str) -> list[Path]:
    if not lessons:
        raise UsageError(f"there are no lessons in {folder}")
    return lessons


def _find_lesson(name: str, folders: Sequence[Path]) -> Path:
    """Return the path of a lesson, given its id or its path."""
    if is_path(name, [LESSON_SUFFIX]):
        return Path(name)
    files = all_lesson_files(*folders)
    ids = list(map(id_in_name, files))
    same = [path for path, own in zip(files, ids, strict=True) if own == name]
    if not same:
        raise UsageError(f"no lesson '{name}'{did_you_mean(name, ids)}{path_hint(name)}")
    if len(same) > 1:
        raise UsageError(f"'{name}' is both {same[0]} and {same[1]}; name one by its path")
    return same[0]


def _find_packages(lessons: list[Path]) -> set[str]:
    """Return the packages other than NumPy that the lessons' courses name."""
    packages: set[str] = set()
    for lesson in lessons:
        path = course_file(lesson.absolute().parent.parent / TRACK_FILE)
        if exists(path):
            course = load_course(path)
            if exists(lesson):
                course.refuse_missing_packages(read_file(lesson).decode("utf-8", "replace"))
            packages |= {*course.packages}
    return packages
