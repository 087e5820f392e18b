"""Verdicts in a notebook: `from grader.notebook import check`.

`check` grades the source of the cells that define an exercise's names, in the sandbox of this
machine. It never grades an object of the kernel. Each function returns a `CellOutput`, which a
notebook shows as HTML or Markdown and a console as text. A wrong argument is reported in the same
way, without a traceback.
"""

import atexit
import contextlib
import html
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial, wraps
from pathlib import Path
from typing import Any, Final

from grader.cli import break_ as break_command
from grader.cli import hint as hint_command
from grader.cli import options, portable_check, progress_record
from grader.cli.progress import progress_lines
from grader.definitions.collection import load_exercise
from grader.definitions.exercise import Exercise
from grader.errors import EtudeError, SandboxFault, UsageError
from grader.grading.jobs import Job, JobOptions
from grader.grading.results.verdict import Verdict
from grader.grading.submissions.read_submission import read_file
from grader.grading.submissions.submission import Submission
from grader.grading.workers.grading_process import GradingProcess
from grader.progress.breaks import break_job
from grader.progress.status import compute_status
from grader.reports import to_html, to_text
from grader.reports.report import Report
from grader.sandbox.backends import unsupported_reason
from grader.sandbox.in_child import cells as python_cells

__all__ = ["CellOutput", "break_it", "check", "hint", "progress", "task"]

_Cells = list[tuple[int, str]]  # numbers and sources of cells, as in a `Submission`

_TEST: Final = re.compile(r"^def (test\w*)", re.MULTILINE)

_NO_NOTEBOOK: Final = (
    "this is not a notebook: check() reads the cells of Jupyter and marimo; in a terminal, grade a "
    "file with 'etude check'"
)
_IN_A_BROWSER: Final = (
    "JupyterLite runs in a browser and has no sandbox: solve the exercise on its page, or download "
    "the notebook and run 'etude check' on it"
)


@dataclass(frozen=True, slots=True)
class CellOutput:
    """A result as text, and in the forms that a notebook shows."""

    text: str
    html: str = ""
    markdown: str = ""
    verdict: Verdict | None = None

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str | None:
        return self.html or None

    def _repr_markdown_(self) -> str | None:
        return self.markdown or None


def _without_traceback(function: Callable[..., CellOutput]) -> Callable[..., CellOutput]:
    @wraps(function)
    def call(*arguments: Any, **extra: Any) -> CellOutput:
        try:
            texts = (value for value in extra.values() if not isinstance(value, bool | Path | None))
            if not all(isinstance(text, str) for text in (*arguments, *texts)):
                raise UsageError("name the exercise as text, as in check('attention-weights')")
            return function(*arguments, **extra)
        except EtudeError as error:
            text = f"etude: {error}"
            return CellOutput(text, f"<p>{html.escape(text)}</p>")

    return call


@_without_traceback
def check(
    exercise: str,
    *,
    course: str | Path | None = None,
    unsafe: bool = False,
    shapes: bool = False,
) -> CellOutput:
    """Grade the cells of this notebook, and record the attempt as `etude check` does.

    Args:
        exercise: An id, or the path of a definition.
        course: A folder, or a course that comes with Etude, such as `numpy-practice`; by default
            Etude's own exercises.
        unsafe: Whether to grade without isolation, and without asking, if there is no sandbox.
        shapes: Whether to show the shape and dtype of the arrays that each line makes.
    """
    caller = sys._getframe(2).f_globals  # noqa: SLF001  marimo tells a cell its file there
    began = time.time()
    definition = _find_exercise(exercise, course)
    submission = _make_submission(definition, *_read_cells(caller))
    job = Job(definition, submission, options=JobOptions(with_shapes=shapes))
    verdict = _grade(job, unsafe=unsafe)
    spell = partial(_call, course)
    follow_up = progress_record.FollowUp(definition, (), advises=True, spell=spell)
    report = Report.from_verdict(verdict, str(submission.path), began=began, ended=time.time())
    report = replace(report, verdict=follow_up.with_earned_xp(verdict), verbose=True)
    follow_up.record(verdict, submission.source)
    lines = [*follow_up.advice(verdict), *follow_up.next_steps(verdict)]
    text = "\n".join([to_text.render(report).rstrip(), *lines])
    advice = "".join(f"<p>{html.escape(line)}</p>\n" for line in lines)
    return CellOutput(text, to_html.render_part(report, advice), verdict=verdict)


@_without_traceback
def hint(exercise: str, *, course: str | Path | None = None, yes: bool = False) -> CellOutput:
    """Show the next hint.

    Args:
        yes: Whether to pay for the hint with some of the exercise's XP; without it, the price is
            shown.
    """
    definition = _find_exercise(exercise, course)
    status = compute_status(progress_record.read_history(), definition.id)
    if (offer := hint_command.describe_hint_price(definition, status)) and not yes:
        call = _call(course, "hint", exercise, after="yes=True")
        return _as_markdown(f"{offer} `{call}` shows it.")
    number = hint_command.take_hint(definition, status)
    count = len(definition.hints)
    return _as_markdown(f"**Hint {number} of {count}**\n\n{definition.hints[number - 1].text}")


@_without_traceback
def break_it(
    exercise: str, call: str = "", *, course: str | Path | None = None, unsafe: bool = False
) -> CellOutput:
    """Show the first wrong program that is not broken yet, or judge a call that should break it.

    Args:
        exercise: See `check`. It must be passed.
        call: Text such as `"softmax(np.array([[1.0, 2.0]]))"`; without it the program is shown.
    """
    definition = _find_exercise(exercise, course)
    program = break_command.find_program(definition)
    if not call:
        spelled = _call(course, "break", exercise, "'CALL'")
        return _as_markdown(
            "This program is wrong. Find a call on which its result is wrong.\n\n"
            f"```python\n{program.code.strip()}\n```\n\nAnswer: `{spelled}`"
        )
    verdict = _grade(break_job(definition, program.id, call), unsafe=unsafe)
    text = break_command.result_message(definition, program, call, verdict)
    return CellOutput(text, f"<pre>{html.escape(text)}</pre>", verdict=verdict)


@_without_traceback
def task(exercise: str, *, course: str | Path | None = None) -> CellOutput:
    """Show the instructions of an exercise; the arguments are those of `check`."""
    definition = _find_exercise(exercise, course)
    facts = f"{definition.difficulty}, {definition.xp} XP"
    return _as_markdown(f"# {definition.title}\n\n*{facts}*\n\n{definition.instructions}")


@_without_traceback
def progress(*, course: str | Path | None = None) -> CellOutput:
    """Show the passed exercises of each track, XP and streak; for `course` see `check`."""
    text = "\n".join(progress_lines(() if course is None else (Path(course),)))
    return CellOutput(text, f"<pre>{html.escape(text)}</pre>")


def load_ipython_extension(shell: Any) -> None:
    """Add the magic `%%etude EXERCISE`, which runs its cell and grades it; see `%load_ext`."""
    from IPython.display import display

    def etude(line: str, cell: str) -> None:
        shell.run_cell(cell, store_history=False)
        exercise, course, *_ = (*line.split(), "", "")
        verdict = check(exercise, course=course or None)
        display(verdict)  # type: ignore[no-untyped-call,unused-ignore]  # IPython has no types

    shell.register_magic_function(etude, "cell")


def _as_markdown(text: str) -> CellOutput:
    return CellOutput(text, markdown=text)


def _call(
    course: str | Path | None, verb: str, name: str, value: str = "", *, after: str = ""
) -> str:
    """Return the Python call that a learner writes in a notebook in place of a command.

    Args:
        value: The second argument, before the course.
        after: An argument after the course.
    """
    if verb == "lesson show":
        return f"etude {verb} {name}"
    option = "" if course is None else f"course={str(course)!r}"
    function = {"start": "task", "break": "break_it"}.get(verb, verb)
    arguments = filter(None, (repr(name), value, option, after))
    return f"{function}({', '.join(arguments)})"


@cache  # a kernel reads a definition once
def _find_exercise(name: str, course: str | Path | None) -> Exercise:
    if sys.platform == "emscripten":
        raise UsageError(_IN_A_BROWSER)
    return load_exercise(name, *options.collection_folders([Path(course)] if course else ()))


def _read_cells(caller: dict[str, Any]) -> tuple[Path, _Cells]:
    """Return the path to show for this notebook, and the cells that were run, in order.

    Raises:
        UsageError: The caller is not a notebook.
    """
    shell = _find_shell()
    if shell is not None:
        history = shell.history_manager.input_hist_raw
        return Path("notebook.ipynb"), [*enumerate(history)][1:]
    if "marimo" in sys.modules and isinstance(file := caller.get("__file__"), str):
        submission = read_file(Path(file))
        if submission.cells:
            return submission.path, list(submission.cells)
    raise UsageError(_NO_NOTEBOOK)


def _find_shell() -> Any:
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _make_submission(exercise: Exercise, path: Path, cells: _Cells) -> Submission:
    """Return the cells that define an exercise's names or tests, and the cells that these use.

    If several cells define a name, the last one counts.

    Raises:
        UsageError: A name or, in an exercise on writing tests, any test is missing; or the exercise
            asks for several files.
    """
    if exercise.files_to_submit:
        files = ", ".join(exercise.files_to_submit)
        raise UsageError(f"'{exercise.id}' asks for several files, {files}: use 'etude check'")
    names = [*exercise.defines]
    if exercise.asks_for_suite:
        names = [name for _, cell in cells for name in _TEST.findall(cell)] or ["test_..."]
    chosen, missing = python_cells.choose([[*cell] for cell in cells], names)
    for name in missing:
        raise UsageError(f"no cell that was run defines '{name}'; write it, and run its cell")
    numbers = [number for number, _ in chosen]
    return Submission.from_cells(path, [cell for cell in cells if cell[0] in numbers])


def _grade(job: Job, *, unsafe: bool) -> Verdict:
    """Grade a job. Without a sandbox, ask the user once, as `etude check` does on macOS."""
    if unsupported_reason() is None:
        with contextlib.suppress(SandboxFault):  # Linux without a sandbox, as on Colab
            return _start_process().grade(job).result()
    ((_, result),) = portable_check.PortablePool(unsafe=unsafe, answer=input).grade([job])
    if isinstance(result, EtudeError):
        raise result
    return result


@cache
def _start_process() -> GradingProcess:
    """Return the grading process, which this kernel keeps for the next check."""
    process = GradingProcess(1)
    atexit.register(process.close)
    return process


if (_ipython := _find_shell()) is not None:
    load_ipython_extension(_ipython)
    if unsupported_reason() is None:
        _start_process()  # starts the worker while the learner is writing
