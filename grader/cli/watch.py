"""`etude watch`: one command that leads through a course."""

import contextlib
import difflib
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from grader.cli import break_, hint, list_, options, show, solution
from grader.cli.check import CheckRequest, check_file, find_file, grade_job, open_pool
from grader.cli.file_watcher import FileWatcher
from grader.cli.key_presses import Keys
from grader.cli.progress_record import (
    exercise_after,
    exercises_suffix,
    find_next_exercise,
    find_track,
    read_history,
    unread_lesson,
)
from grader.cli.start import starter_path, write_starter
from grader.definitions.collection import Collection, exercise_ids
from grader.definitions.exercise import Exercise
from grader.definitions.files import is_path
from grader.errors import EtudeError, SandboxFault, UsageError
from grader.grading.submissions.read_submission import read_submission
from grader.progress.breaks import break_job
from grader.progress.status import compute_status, compute_statuses
from grader.reports.terminal_markdown import print_code, print_markdown
from grader.sandbox.printable import printable

if TYPE_CHECKING:
    from grader.cli.portable_check import PortablePool
    from grader.grading.workers.pool import WorkerPool  # exists only on Linux

_POLL_SECONDS = 0.1  # seconds between two polls of the file
_KEYS = "h hint, t task, l list, n next, q quit"
_MORE_KEYS = "s solution, d difference to it, b break a program"
_DONE = "All exercises are done."
_MAX_TASK_LINES = 12  # most lines of the task that are shown
_TASK_HEADING = re.compile("^## Your task\n", re.MULTILINE)


@click.command("watch")
@click.argument(
    "target",
    required=False,
    metavar="[TRACK|EXERCISE]",
    shell_complete=options.complete_track_or_exercise,
)
@click.argument("file", type=options.PATH, required=False)
@options.exercises_option
@options.unsafe_option
def command(
    target: str | None, file: Path | None, exercises: tuple[Path, ...], unsafe: bool
) -> None:
    """Grade at every save, and go on to the next exercise after a pass.

    It begins where you were, with the first open exercise of TRACK, or with EXERCISE. The file is
    FILE, or else <exercise>.py in this folder; if there is none, the starter is written.

    \b
    Keys, in a terminal:
      h      next hint               s  solution, after a pass
      t      task in full            d  how your program differs from it
      l      list, and go to         n  next exercise
      b      break a wrong program   Enter  grade again
      q      quit

    \b
    Examples:
      etude watch
      etude watch numpy-warmup
      etude watch attention-weights
      etude watch attention-weights my_solution.py
    """
    name = target if target is not None and file is not None else _first_exercise(target, exercises)
    if name is None:
        click.echo(_DONE)
        return
    _WatchSession(exercises, unsafe=unsafe).begin(name, file)


def _first_exercise(target: str | None, exercises: tuple[Path, ...]) -> str | None:
    """Return the id or path of the first exercise, or None if all are done."""
    if target is not None and is_path(target):
        return target
    folders = options.collection_folders(exercises)
    if target in exercise_ids(*folders):
        return target
    collection = Collection.load(*folders)
    track = next((track for track in collection.tracks if track.definition.id == target), None)
    if target is not None and track is None:
        return collection.find(target).id
    next_exercise = find_next_exercise(collection, read_history(), track)
    return None if next_exercise is None else next_exercise.exercise


class _WatchSession:
    """One session: each save is graded, and a pass leads to the next exercise."""

    def __init__(self, exercises: tuple[Path, ...], *, unsafe: bool) -> None:
        self._exercises = exercises
        self._folder = Path()  # folder of the exercises' files
        # The last passed check, whose solution may be shown.
        self._passed: CheckRequest | None = None
        self._keys = Keys()
        self._stack = contextlib.ExitStack()
        self._unsafe = unsafe
        self._pool: WorkerPool | PortablePool | None = None

    def begin(self, name: str, file: Path | None) -> None:
        """Grade at each save and handle keys, until the learner quits."""
        with self._stack, self._keys, contextlib.suppress(KeyboardInterrupt, EOFError):
            exercise = self._open_exercise(name, file)
            if self._is_begun(exercise):
                self._check()
            self._print_prompt()
            while (key := self._keys.wait(_POLL_SECONDS)) != "q":
                if self._watcher.poll() or key in ("\r", "\n"):
                    if self._keys.are_there:
                        # Only the newest verdict stays on the screen.
                        click.clear()
                    self._check()
                elif key:
                    with self._keys.line_mode():
                        self._handle_key(key)
                else:
                    continue
                self._print_prompt()

    def _check(self) -> None:
        """Grade the file; after a pass, open the next exercise."""
        try:
            verdict, follow_up = check_file(self._request, self._open_pool())
            if verdict.outcome != "passed":
                return
            self._passed = self._request
            exercise, next_id = follow_up.exercise, follow_up.next_exercise(verdict)
            if exercise.concepts:
                click.echo(f"Learnt: {', '.join(exercise.concepts)}.")
            if next_id is not None:
                self._folder = _exercises_folder(exercise, self._request.file)
                self._open_exercise(next_id)
        except SandboxFault:
            raise  # nothing can be graded in this session
        except (EtudeError, OSError) as error:
            # OSError: the folder may be unreadable or gone.
            click.echo(str(error), err=True)

    def _open_pool(self) -> "WorkerPool | PortablePool":
        if self._pool is None:
            # Opening the pool may ask a question.
            with self._keys.line_mode():
                pool = open_pool(unsafe=self._unsafe, is_batch=True)
                self._stack.enter_context(pool)
            self._pool = pool
        return self._pool

    def _open_exercise(self, name: str, file: Path | None = None) -> Exercise:
        """Watch the file of an exercise, write it if it is missing, and print the task."""
        exercise = options.resolve_exercise(name, self._exercises)
        existing = file or find_file(name, self._exercises, self._folder)
        path = existing or starter_path(exercise, self._folder)
        done = "there already" if path.exists() else write_starter(exercise, path)
        self._request = CheckRequest(
            exercise=name,
            file=path,
            exercises=self._exercises,
            delivery=options.parse_delivery(()),
            verbose=False,
        )
        self._watcher = FileWatcher([path, *path.glob("*.py")] if path.is_dir() else [path])

        console = Console(highlight=False)
        console.print()
        track = find_track(exercise)
        self._track = [track.id] if track else []
        if track:
            states = compute_statuses(read_history())
            number = sum(name in states and states[name].is_done for name in track.exercises)
            standing = f"{track.title}: {number} of {len(track.exercises)} done"
            console.print(printable(standing), style="dim", markup=False)
            lesson = unread_lesson(track.lessons, exercise.id, states)
            if lesson is not None:
                click.echo(
                    f"Read first: etude lesson show {lesson.id}{exercises_suffix(self._exercises)}"
                )
        title = f"{exercise.title} ({exercise.id}), {exercise.difficulty}, {exercise.xp} XP"
        console.print(printable(title), style="bold", markup=False)
        print_markdown(console, _shorten_task(exercise.instructions))
        click.echo(f"\n{printable(str(path))}: {done}.")
        return exercise

    def _is_begun(self, exercise: Exercise) -> bool:
        """Return whether to grade the file now: it is the learner's own work and not passed yet."""
        if compute_status(read_history(), exercise.id).is_done:
            return False
        submission = read_submission(self._request.file, exercise.files_to_submit).part_for(
            exercise
        )
        return submission.source.strip() != exercise.starter.strip()

    def _print_prompt(self) -> None:
        click.echo(f"\nWaiting for {self._request.file} to be saved (Ctrl-C ends)")
        if self._keys.are_there:
            after = f", {_MORE_KEYS}" if self._passed else ""
            click.secho(f"{_KEYS}{after}", dim=True)
        sys.stdout.flush()

    def _handle_key(self, key: str) -> None:
        """Perform the action of a key."""
        commands = {"h": hint.command, "t": show.command}
        key = key.lower()
        try:
            if key in commands:
                self._run_command(commands[key], self._request.exercise)
            elif key == "l":
                self._run_command(list_.command, *self._track)
                if name := click.prompt("Go to (Enter stays)", default="", show_default=False):
                    self._open_exercise(name)
            elif key == "n":
                self._skip()
            elif key in ("s", "d", "b"):
                self._look_back(key)
            else:
                click.echo(f"Keys: {_KEYS}, {_MORE_KEYS}, Enter to grade again.")
        except (EtudeError, OSError, click.ClickException) as error:
            click.echo(str(error), err=True)
        except (click.Abort, KeyboardInterrupt):
            click.echo()  # it interrupts a question or a pager, not the session

    def _look_back(self, key: str) -> None:
        """Show the solution of the last passed exercise, its difference, or a program to break."""
        if self._passed is None:
            subject = "a wrong program to break" if key == "b" else "the solution"
            raise UsageError(f"{subject} is shown after a pass")
        if key == "s":
            self._run_command(solution.command, self._passed.exercise)
        elif key == "d":
            _print_difference(self._passed)
        else:
            exercise = options.resolve_exercise(self._passed.exercise, self._exercises)
            program = break_.find_program(exercise)
            if call := break_.ask_for_call(program):
                verdict = grade_job(self._open_pool(), break_job(exercise, program.id, call))
                click.echo(break_.result_message(exercise, program, call, verdict))

    def _run_command(self, command: click.Command, *arguments: str) -> None:
        """Run another command on the same collection."""
        for folder in self._exercises:
            arguments += ("--exercises", str(folder))
        command.main([*arguments], prog_name="etude", standalone_mode=False)

    def _skip(self) -> None:
        exercise = options.resolve_exercise(self._request.exercise, self._exercises)
        next_id = exercise_after(exercise, read_history(), skipping=True)
        if next_id is None:
            raise UsageError("there is no other exercise left to do")
        self._open_exercise(next_id)


def _exercises_folder(exercise: Exercise, file: Path) -> Path:
    """Return the folder with the exercises' files, given one of the files."""
    return file.parent.parent if exercise.files_to_submit and not file.is_dir() else file.parent


def _shorten_task(instructions: str) -> str:
    """Return the first paragraphs of the task, without the introduction."""
    *_, task = _TASK_HEADING.split(instructions)
    paragraphs = task.strip().split("\n\n")
    text = paragraphs.pop(0)
    while paragraphs and text.count("\n") + paragraphs[0].count("\n") + 3 <= _MAX_TASK_LINES:
        text += f"\n\n{paragraphs.pop(0)}"
    return f"{text}\n\n..." if paragraphs else text


def _print_difference(passed: CheckRequest) -> None:
    """Print a diff between the passed program and the solution."""
    exercise = options.resolve_exercise(passed.exercise, passed.exercises)
    if not exercise.solution:
        raise UsageError(f"there is no solution of '{exercise.id}' here: this is a student edition")
    source = read_submission(passed.file, exercise.files_to_submit).part_for(exercise).source
    lines = difflib.unified_diff(
        source.splitlines(), exercise.solution.splitlines(), "yours", "solution", lineterm=""
    )
    difference = "\n".join(lines)
    if not difference:
        click.echo("Your program equals the solution.")
        return
    print_code(Console(highlight=False), difference, language="diff")
