"""Options and arguments that several commands share, and their shell completion."""

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.errors import EtudeError, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem
    from rich.console import Console

    from grader.definitions.exercise import Exercise
    from grader.reports.formats import Delivery, RequestedFormat
    from grader.reports.report import Batch, Report
    from grader.sandbox.process import Sandbox

_Function = TypeVar("_Function", bound=Callable[..., Any])

PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)
EXISTING_PATH = click.Path(path_type=Path, exists=True)
EXISTING_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)

_MAX_LINKS = 40  # symbolic links followed in one path, as in Linux


def _exercise_ids(*folders: Path) -> list[str]:
    from grader.definitions.files import all_exercise_files, id_in_name

    return [id_in_name(path) for path in all_exercise_files(*folders)]


def _lesson_ids(*folders: Path) -> list[str]:
    from grader.definitions.files import all_lesson_files, id_in_name

    return [id_in_name(path) for path in all_lesson_files(*folders)]


def _track_ids(*folders: Path) -> list[str]:
    paths = [path for folder in folders for path in folder.glob("*/track.yaml")]
    return sorted(path.parent.name for path in paths)


def _completion(
    *find_ids: Callable[..., list[str]], or_path: bool = True
) -> Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]:
    """Return a completer for ids of a collection; paths are left to the shell."""

    def complete(
        context: click.Context, _: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        ids = list[str]()
        # EtudeError: a completion has no place for an error message.
        with contextlib.suppress(EtudeError):
            folders = collection_folders(context.params.get("exercises") or ())
            ids = [name for find in find_ids for name in find(*folders)]
        # A shell inserts the names into a command without quoting.
        names = [name for name in ids if re.fullmatch("[a-z0-9-]+", name)]
        items = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return items or [CompletionItem(incomplete, type="file")] * or_path

    return complete


complete_exercise = _completion(_exercise_ids)
complete_lesson = _completion(_lesson_ids)
complete_track = _completion(_track_ids, or_path=False)
complete_track_or_exercise = _completion(_track_ids, _exercise_ids)


exercise_argument = click.argument(
    "id_or_path", metavar="EXERCISE", shell_complete=complete_exercise
)
exercises_option = click.option(
    "--exercises",
    type=PATH,
    multiple=True,
    envvar="ETUDE_EXERCISES",
    show_envvar=True,
    metavar="DIR",
    help="The collection of exercises: a folder, or a course that comes with Etude, such as "
    "numpy-practice; by default Etude's own exercises. Given several times, or with ':' "
    "between folders, all of them together.",
)
unsafe_option = click.option(
    "--unsafe-no-sandbox",
    "unsafe",
    is_flag=True,
    help="Run the submission without isolation: only for code you wrote yourself.",
)
port_option = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    metavar="N",
    help="Where to listen, on 127.0.0.1; 0 for any port that is free.",
)
hidden_tests_option = click.option(
    "--hidden-tests",
    type=click.Choice(["visible", "hidden", "after_due_date", "after_published"]),
    default="visible",
    show_default=True,
    help="When Gradescope shows students the results of hidden tests.",
)


def jobs_option(noun: str) -> Callable[[_Function], _Function]:
    """Add `--jobs N`, the number of parallel processes that do something."""
    return click.option(
        "--jobs",
        type=click.IntRange(1, 256),
        default=cores,
        show_default="one for each core",
        metavar="N",
        help=f"How many {noun} at once.",
    )


def path_option(
    name: str, text: str, kind: click.Path = PATH, **attributes: Any
) -> Callable[[_Function], _Function]:
    """Add an option for a file or folder, with its help and further click attributes."""
    attributes.setdefault("metavar", "FILE" if kind.file_okay else "DIR")
    return click.option(name, type=kind, help=text, **attributes)


def output_option(text: str, **attributes: Any) -> Callable[[_Function], _Function]:
    """Add `--output FILE`, with its help."""
    return path_option("--output", text, FILE, **attributes)


def format_option(*names: str) -> Callable[[_Function], _Function]:
    """Add `--format`; the first name is the default."""
    return click.option(
        "--format", "form", type=click.Choice(names), default=names[0], show_default=True,
        help="How to print the result.",
    )  # fmt: skip


def _parse_formats(
    _context: click.Context, _parameter: click.Parameter, texts: Sequence[str]
) -> "tuple[RequestedFormat, ...]":
    from grader.reports.formats import RequestedFormat

    try:
        return tuple(map(RequestedFormat.parse, texts))
    except UsageError as error:
        raise click.BadParameter(str(error)) from None


def _complete_format(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    from grader.reports.formats import FORMATS

    names = (name for name in FORMATS if name.startswith(incomplete))
    return [CompletionItem(name, help=FORMATS[name].description) for name in names]


class _Formats(click.Option):
    """An option whose help lists the formats, computed only when help is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from grader.reports.formats import FORMATS

        self.help = (
            "How to show the result, and in which file; may be given several times, once without "
            f"FILE. NAME is one of {', '.join(FORMATS)}. Without a format for it, standard output "
            "gets text."
        )
        return super().get_help_record(ctx)


report_option = click.option(
    "--format",
    "formats",
    cls=_Formats,
    multiple=True,
    callback=_parse_formats,
    shell_complete=_complete_format,
    metavar="NAME[=FILE]",
)


def parse_delivery(formats: "Sequence[RequestedFormat]", *, plain: bool = False) -> "Delivery":
    """Assign each report to its destination.

    Args:
        formats: The values of `--format`.
        plain: True for `--plain`, which requests that format on standard output.

    Raises:
        UsageError: The combination is impossible, such as two reports for one destination.
    """
    from grader.reports.formats import Delivery, RequestedFormat

    also = [RequestedFormat.parse("plain")] if plain else []
    return Delivery.from_requests(
        [*formats, *(request for request in also if request not in formats)]
    )


def print_delivery(delivery: "Delivery", result: "Batch | Report") -> None:
    """Print the format for standard output, fitted to the terminal if there is one."""
    if delivery.is_drawn:
        from grader.reports.to_text import print_result, terminal

        print_result(terminal(), result)
    else:
        click.echo(delivery.text(result), nl=False)


def deliver(delivery: "Delivery", result: "Batch | Report") -> None:
    """Print the report for standard output, and write the files."""
    print_delivery(delivery, result)
    delivery.write(result)


def etude_command(*arguments: str) -> list[str]:
    """Return the command line of `etude` in a process of its own."""
    return [sys.executable, "-P", "-m", "grader.cli", *arguments]


def refuse_input_as_output(output: Path | None, inputs: Iterable[Path]) -> None:
    """Refuse to write over a file that is read.

    Raises:
        UsageError: The output is one of the inputs.
    """
    if output is None or not output.exists():
        return
    if any(path.exists() and output.samefile(path) for path in inputs):
        raise UsageError(f"{output} is what is read; name another file")


def write_file(path: Path, content: str | bytes) -> None:
    """Write a whole file.

    Raises:
        UsageError: The file cannot be written.
    """
    from grader.whole_files import write_whole

    try:
        write_whole(path, content)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def collection_folders(option: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Return the folders of the chosen collection.

    One text may name several, separated by colons as in PATH. The name of a course that Etude ships
    also works, unless a folder of that name is here.
    """
    from grader.definitions.files import courses, default_folder
    from grader.definitions.wording import join_quoted

    own_courses = courses()
    variable = os.environ.get("ETUDE_EXERCISES")
    folders: list[Path] = []
    for chosen in option or ([Path(variable)] if variable else [default_folder()]):
        names = [str(chosen)] if chosen.is_dir() else str(chosen).split(os.pathsep)
        folders += (Path(n) if Path(n).is_dir() else own_courses.get(n, Path(n)) for n in names)
    for path in folders:
        if not path.is_dir():
            hint = (
                f"; courses that come with Etude: {join_quoted(own_courses, 'and')}"
                if own_courses
                else ""
            )
            raise UsageError(f"there is no folder {path} with exercises{hint}")
    return tuple(folders)


def resolve_exercise(id_or_path: str, exercises: Sequence[Path]) -> "Exercise":
    """Return the exercise at a path, or with an id in the chosen collection.

    Raises:
        UsageError: There is no such exercise.
        DefinitionError: Its definition is invalid.
    """
    from grader.definitions.collection import load_exercise

    return load_exercise(id_or_path, *collection_folders(exercises))


def collection_for(targets: Sequence[str], option: Sequence[Path]) -> tuple[Path, ...]:
    """Return the collection in which to look up names; paths do not need one."""
    from grader.definitions.files import is_path

    if not option and targets and all(map(is_path, targets)):
        return ()
    return collection_folders(option)


def refuse_submitted_definitions(definitions: Path, graded: Path) -> None:
    """Refuse definitions from the graded folder, since a student could have written them.

    Raises:
        UsageError: The path of a definition or collection resolves into the folder, or passes
            through a symbolic link in it.
    """
    folder = os.path.realpath(graded)
    path = definitions.absolute()
    for _ in range(_MAX_LINKS):
        link = next((way for way in (*reversed(path.parents), path) if way.is_symlink()), None)
        real_path = os.path.realpath(path if link is None else link.parent)
        if Path(real_path).is_relative_to(folder):
            raise UsageError(
                f"{definitions} lies in {graded}, the folder that is graded, so a student "
                "could have written it; keep exercises outside of that folder"
            )
        if link is None:
            return
        path = link.parent / link.readlink() / path.relative_to(link)


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def sandbox_opener(
    unsafe: bool, *, workers: int | None = None, is_batch: bool = True
) -> "Callable[..., Sandbox]":
    """Return a function that starts a sandbox, importing its modules only then.

    Args:
        workers: The number of workers that each open one; None if few submissions are served.
        is_batch: True for more than one submission. For a single one, the engine is imported in
            parallel.
    """

    def opener(packages: Iterable[str] = ()) -> "Sandbox":
        from grader.sandbox.process import open_sandbox, open_unsafe

        # A spare core can fork the next child ahead of time.
        keep_spare_child = workers is not None and workers < cores()
        start = open_unsafe if unsafe else open_sandbox
        meanwhile = None if is_batch else partial(import_module, "grader.grading.session.engine")
        return start(
            keep_spare_child=keep_spare_child,
            is_batch=is_batch,
            meanwhile=meanwhile,
            packages=packages,
        )

    return opener


@contextlib.contextmanager
def pager(console: "Console") -> Iterator["Console"]:
    """Send the output to a pager if it is longer than the user's terminal."""
    if not (sys.stdin.isatty() and console.is_terminal):
        yield console
        return
    with console.capture() as captured:
        yield console
    text = captured.get()
    if text.count("\n") < console.height:
        click.echo(text, nl=False, color=True)
    else:
        click.echo_via_pager(text)
