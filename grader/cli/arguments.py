"""Arguments that students' commands share, with what completes them in a shell."""

import contextlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.errors import EtudeError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_Function = TypeVar("_Function", bound=Callable[..., Any])


def exercise_argument(function: _Function) -> _Function:
    """Add EXERCISE: an id, which a shell completes, or a path."""
    return click.argument("exercise", shell_complete=complete_exercise)(function)


def lesson_argument(function: _Function) -> _Function:
    """Add LESSON, which may be left out: an id, which a shell completes, or a path."""
    return click.argument("lesson", required=False, shell_complete=complete_lesson)(function)


def yes_option(function: _Function) -> _Function:
    """Add `--yes`: no question is asked."""
    return click.option("--yes", "-y", is_flag=True, help="Agree to the price beforehand.")(
        function
    )


def complete_exercise(
    context: click.Context, _: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """Return the ids that begin like this, or else leave it to the shell to complete a path."""
    from grader.definitions.files import files_by_folder, id_in_name

    with contextlib.suppress(EtudeError):  # in the middle of a line there is no one to tell
        files = files_by_folder(_folder(context)).values()
        return _completed([id_in_name(path) for paths in files for path in paths], incomplete)
    return _completed([], incomplete)


def complete_lesson(
    context: click.Context, _: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """Return the ids of lessons that begin like this, or else leave it to the shell."""
    from grader.definitions.files import all_lesson_files, id_in_name

    with contextlib.suppress(EtudeError):  # as above
        names = map(id_in_name, all_lesson_files(_folder(context)))
        return _completed([*names], incomplete)
    return _completed([], incomplete)


def complete_track(
    context: click.Context, _: click.Parameter, incomplete: str
) -> "list[CompletionItem]":
    """Return the ids of tracks that begin like this."""
    from grader.definitions.files import folders_in

    folders = folders_in(_folder(context))
    names = sorted(path.parent.name for each in folders for path in each.glob("*/track.yaml"))
    return _begun(names, incomplete)


def _folder(context: click.Context) -> Path:
    from grader.cli import options

    given = context.params.get("exercises") or os.environ.get("ETUDE_EXERCISES")
    try:
        return options.collection_folder(Path(given) if given else None)
    except EtudeError:  # in the middle of a line there is no one to tell
        return Path(os.devnull)


def _completed(names: list[str], incomplete: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    return _begun(names, incomplete) or [CompletionItem(incomplete, type="file")]


def _begun(names: list[str], incomplete: str) -> "list[CompletionItem]":
    """Return the ids that begin like this; a shell puts them into a command as they are."""
    from click.shell_completion import CompletionItem

    ids = [name for name in names if re.fullmatch("[a-z0-9-]+", name)]
    return [CompletionItem(name) for name in ids if name.startswith(incomplete)]
