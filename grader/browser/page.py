"""The grader's interface for a page: functions of strings, which a web worker calls in Pyodide.

`open_exercise`, `open_lesson` and `open_gpt` return nothing. The others always return JSON, even
for code that fails:

    check(source)  the verdict, in the format of `etude check --format json`
    judge_break(data, program, call)  {"example", "message"}, of which one is null
    shapes(source)  the shapes of the arrays that each line makes, as in a verdict
    run(source)    {"output", "truncated", "figures", "problem"}
    cell(source)   {"printed", "truncated", "figures", "problem"}
    begin_text(request)  {"prompt", "facts", "problem"}
    next_letter(settings)  {"letter", "choices", "heads", "counts", "problem"}
    arrays(names)  the matrices that the cells have made, by name
    names()        for NumPy and its modules: a summary of each public name

`check` and `run` work in a folder with the exercise's data files, `cell` in one with the lesson's.

`truncated` is the number of bytes printed beyond the cap. `problem` is null or
`{"message", "line"}`, and for a learner's own GPT `{"message", "exercise"}`.
"""

import contextlib
import inspect
import io
import json
import math
import warnings
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from grader.browser.data_encoding import BreakData, GradingData, from_text, measure_size
from grader.browser.other_versions import find_differences
from grader.browser.own_gpt import GptModel, GptProblem, LearnerGpt
from grader.browser.page_child import PageChild, PageChildFactory
from grader.definitions.exercise import Seeded, TestId
from grader.errors import EtudeError
from grader.grading.diagnosis.call_judgement import judge_call
from grader.grading.diagnosis.diagnostician import Diagnostician
from grader.grading.diagnosis.line_shapes import trace_shapes
from grader.grading.expected.inputs import draw_inputs
from grader.grading.expected.oracle import Oracle
from grader.grading.feedback import outcome_sentences
from grader.grading.jobs import find_limits
from grader.grading.program.author_code import provide_data_files
from grader.grading.program.loaded_program import ending_problem, loading_problem, put_files
from grader.grading.program.screening import RunProblem
from grader.grading.results.verdict import Diagnosis, LineShape, Outcome, TestResult, Verdict
from grader.grading.results.verdict_json import fault_data, result_data, verdict_data
from grader.grading.run.best_effort import log_feedback_errors
from grader.grading.run.submission_run import SubmissionRun
from grader.grading.session.grade_submission import grade_submission
from grader.grading.submissions.program_text import ProgramText
from grader.grading.submissions.submission import Submission
from grader.lessons import display, plot_display
from grader.lessons.last_expression import print_last_expression
from grader.sandbox.answers import ChildGoneError, Raised, Returned
from grader.sandbox.limits import DEFAULT_LIMITS

# CPU seconds for one cell: the page of a lesson itself ends Python after sixty seconds.
_CELL_SECONDS: Final = 58
_RUN_PRELUDE: Final = """\
from grader.lessons.display import _pop_displays, heatmap, table
__name__ = "__main__"
def _set_inputs(inputs):
    globals().update({"inputs": inputs} | next(iter(inputs.values()), {}))
"""
_MAX_ROWS: Final = 8  # rows and columns of the largest matrix that a figure can show
# Characters of the summary of a name, which an editor shows on one line.
_MAX_SUMMARY_LENGTH: Final = 120


class _PageGrader:
    """The grader of one exercise, with its oracle."""

    def __init__(self, data: GradingData) -> None:
        self.exercise = data.exercise
        values = dict(data.values)
        # Inputs that are too large to be loaded are drawn here.
        for test in data.exercise.tests:
            if isinstance(test.given, Seeded):
                draws = enumerate(values[test.id].draws)
                drawn = [replace(d, inputs=draw_inputs(data.exercise, test, n)) for n, d in draws]
                values[test.id] = replace(values[test.id], draws=tuple(drawn))
        self._oracle = Oracle(data.exercise, PageChildFactory(), values)
        self._diagnostician = Diagnostician(self._oracle, data.mistakes)
        self._limits = find_limits(data.exercise)
        self._versions = data.grader
        self._results: dict[TestId, TestResult] = {}  # those of the last verdict

    def grade(self, source: str) -> Verdict:
        """Grade a source by the tests that the page has."""
        data = source.encode("utf-8", "surrogatepass")
        submission = Submission.from_bytes(Path(self.exercise.file_name), data)
        with SubmissionRun(self._oracle, submission, self._limits) as run:
            self._results = run.results
            try:
                verdict = grade_submission(run, self._find_mistake)
            except MemoryError:
                # The grader itself ran out of the memory that the submission had left.
                run.problem = RunProblem(Outcome.OUT_OF_MEMORY, lambda: outcome_sentences.TOO_LARGE)
                verdict = run.verdict()
        notes = (*verdict.notes, *find_differences(source, self._versions))
        verdict = replace(verdict, notes=notes)
        log_feedback_errors(verdict)
        return verdict

    def _find_mistake(self, run: SubmissionRun) -> Diagnosis | None:
        # A page only searches among the recorded results: it has no solution.
        return self._diagnostician.diagnose(run.results, run.observed, text=run.text)

    def trace_shapes(self, source: str) -> tuple[LineShape, ...]:
        """Return the shapes in the first visible test that failed, or else in the first test."""
        return trace_shapes(self._oracle, source, self._results)

    def copy_inputs(self) -> dict[TestId, dict[str, Any]]:
        """Return copies of the inputs of the visible tests, without those that cannot be copied."""
        inputs = {}
        for test in self.exercise.tests:
            with provide_data_files(self.exercise):
                draws = () if test.hidden else self._oracle.draws(test)[:1]
                values = {} if not draws else self._oracle.inputs(test, draws[0])
            sendable = {
                name: value for name, value in values.items() if measure_size(value) is not None
            }
            if sendable:
                inputs[test.id] = sendable
        return inputs


class _LessonNamespace:
    """The namespace in which the cells of a lesson run."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._child = PageChild(replace(DEFAULT_LIMITS, cpu_seconds=_CELL_SECONDS))
        if files:
            self._child.put_files(files)
        self._child.load(inspect.getsource(display), [])
        self._draws = False  # True once a cell has used matplotlib

    def close(self) -> None:
        """Remove the namespace."""
        self._child.close()

    def read_value(self, name: str) -> Any:
        """Return the present value of a name; None if the name is not defined."""
        answer = self._child.ask("value", name)
        return answer.value if isinstance(answer, Returned) else None

    def run_cell(self, source: str) -> dict[str, Any]:
        """Run a cell as the next lines of the program."""
        self._child.forget_output()
        if not self._draws and "matplotlib" in source:
            self._child.load(inspect.getsource(plot_display), [])
            self._draws = True
        with contextlib.suppress(Exception):  # invalid source fails below, when it runs
            source = print_last_expression(source)
        problem = _find_problem(self._child, source)
        return {
            "printed": self._child.output(),
            "truncated": self._child.lost,
            "figures": _take_figures(self._child),
            "problem": problem,
        }


@dataclass(slots=True)
class _OpenPage:
    """The exercise, the lesson and the learner's own GPT that the page shows."""

    grader: _PageGrader | None = None
    lesson: _LessonNamespace | None = None
    lesson_files: Mapping[str, bytes] = field(default_factory=dict)
    model: GptModel | None = None
    gpt: LearnerGpt | None = None
    sources: Mapping[str, str] = field(default_factory=dict)  # the code that `gpt` has loaded


_page: Final = _OpenPage()


def open_exercise(text: str) -> None:
    """Open an exercise for `check`, from its grading data."""
    data = from_text(text)
    with _suppress_output(), provide_data_files(data.exercise):
        _page.grader = _PageGrader(data)


def check(source: str) -> str:
    """Grade a source by the tests of the exercise that the page has."""
    if _page.grader is None:
        return json.dumps(fault_data("", "no exercise is open"))
    with _suppress_output(), provide_data_files(_page.grader.exercise):
        try:
            data = verdict_data(_page.grader.grade(source))
        except EtudeError as error:
            data = fault_data(_page.grader.exercise.id, str(error))
        except Exception as error:  # noqa: BLE001  reported as a fault of the grader
            data = fault_data(_page.grader.exercise.id, f"{type(error).__name__}: {error}")
    return json.dumps(data)


def judge_break(data: str, program: str, call: str) -> str:
    """Judge a call that should break the program of a misconception.

    Args:
        data: See `make_break_data` in `shipping`.
        program: The misconception's id.
    """
    breaks: BreakData = from_text(data)
    codes = {
        misconception.id: misconception.code for misconception in breaks.exercise.misconceptions
    }
    with _suppress_output(), provide_data_files(breaks.exercise):
        try:
            answer = judge_call(
                breaks.exercise, breaks.calls, codes[program], PageChildFactory(), call
            )
        except Exception as error:  # noqa: BLE001  reported on the page, which keeps working
            answer = f"This could not be judged: {type(error).__name__}: {error}"
    if isinstance(answer, str):
        return json.dumps({"example": None, "message": answer})
    example = {"code": answer.code, "result": result_data(answer.result)}
    return json.dumps({"example": example, "message": None})


def shapes(source: str) -> str:
    """Return the shapes of the arrays that each line of a source makes in a visible test."""
    if _page.grader is None:
        return "[]"
    with _suppress_output(), provide_data_files(_page.grader.exercise):
        try:
            return json.dumps([asdict(shape) for shape in _page.grader.trace_shapes(source)])
        except Exception:  # noqa: BLE001  shapes are an extra; `check` reports the errors
            return "[]"


def run(source: str) -> str:
    """Run a source in a namespace of its own and return its output and figures.

    The namespace has `heatmap` and `table`, the inputs of the first visible test under their names,
    and the inputs of all visible tests in `inputs`.
    """
    with _suppress_output(), PageChild(DEFAULT_LIMITS) as child:
        if _page.grader is not None:
            put_files(child, _page.grader.exercise.data, _page.grader.exercise.id)
        child.load(_RUN_PRELUDE, [])
        _take_figures(child)  # discards the figures of an earlier run that was stopped
        child.call("_set_inputs", [_page.grader.copy_inputs() if _page.grader else {}], {})
        problem = _find_problem(child, source)
        output = child.output()
        reply = {"output": output, "truncated": child.lost, "figures": _take_figures(child)}
        return json.dumps(reply | {"problem": problem})


def names() -> str:
    """Return a summary of each public name of NumPy and its modules, for completion in an editor.

    The summary is the first sentence of NumPy's documentation; it may be empty.
    """
    entries = {}
    with _suppress_output(), warnings.catch_warnings(action="ignore"):
        for name, module in (("np", np), ("np.linalg", np.linalg), ("np.random", np.random)):
            # `dir` would also give the modules that NumPy has not imported yet.
            loaded = vars(module)
            public = [name for name in loaded if not name.startswith("_")]
            entries[name] = dict.fromkeys(sorted(public), "")
            for public_name in public:
                value = loaded[public_name]
                # The documentation of a number would be that of its class.
                if not isinstance(value, (bool, int, float)) and not inspect.ismodule(value):
                    paragraphs = (value.__doc__ or "").split("\n\n")
                    # A signature may come before the first sentence.
                    texts = (text for text in paragraphs if "(" not in text.partition(" ")[0])
                    summary = " ".join(next(texts, "").split())
                    entries[name][public_name] = summary[:_MAX_SUMMARY_LENGTH]
    return json.dumps(entries)


def arrays(*names: str) -> str:
    """Return the open lesson's small matrices by name; null for names that hold something else."""
    matrices: dict[str, list[list[float]] | None] = dict.fromkeys(names)
    if _page.lesson is None:
        return json.dumps(matrices)
    for name in names:
        with _suppress_output(), contextlib.suppress(ChildGoneError):
            value = _page.lesson.read_value(name)
            if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
                continue
            fits = value.ndim == 2 and max(value.shape) <= _MAX_ROWS  # noqa: PLR2004  a matrix has two axes
            if fits and value.size and np.isfinite(value).all():
                matrices[name] = value.astype(float).tolist()
    return json.dumps(matrices)


def open_lesson(files: str = "") -> None:
    """Start a lesson, or start it again, in an empty namespace.

    Args:
        files: JSON of the lesson's data files, each name with its content in base 64. Left out when
            the lesson starts again.
    """
    if _page.lesson is not None:
        _page.lesson.close()
    if files:
        _page.lesson_files = {name: b64decode(data) for name, data in json.loads(files).items()}
    with _suppress_output():
        _page.lesson = _LessonNamespace(_page.lesson_files)


def cell(source: str) -> str:
    """Run a cell of the lesson, after those before it."""
    if _page.lesson is None:
        open_lesson()
    assert _page.lesson is not None  # for the type checker
    with _suppress_output():
        return json.dumps(_page.lesson.run_cell(source))


def open_gpt(text: str) -> None:
    """Open the model of a learner's own GPT."""
    _page.model = GptModel.read(text)


def begin_text(request: str) -> str:
    """Begin a text with a learner's own functions.

    Args:
        request: JSON of `prompt`, `seed`, `sources` (the learner's code by exercise) and `names`
            (of the model's own programs for other exercises).
    """
    settings = json.loads(request)
    assert _page.model is not None  # a page opens it first
    names: dict[str, str] = settings.pop("names", {})
    model_sources = {part: _page.model.programs[part][name] for part, name in names.items()}
    sources = model_sources | settings.pop("sources")
    with _suppress_output():
        is_new = _page.gpt is None or sources != _page.sources
        if is_new:
            if _page.gpt is not None:
                _page.gpt.close()
            _page.gpt, _page.sources = LearnerGpt(_page.model, sources), sources
        assert _page.gpt is not None  # for the type checker
        settings["prompt"] = _page.model.without_unknown(settings["prompt"])
        problem = _page.gpt.begin(**settings, is_new=is_new)
        facts = {} if problem else _page.gpt.facts
        answer = {"prompt": settings["prompt"], "facts": facts, "problem": None}
        return json.dumps(answer | _close_after(problem) if problem else answer)


def next_letter(settings: str) -> str:
    """Write the next letter of the text.

    Args:
        settings: JSON of `temperature` and `top_k`.
    """
    assert _page.gpt is not None  # a page begins a text first
    with _suppress_output():
        letter = _page.gpt.write_letter(**json.loads(settings))
    if isinstance(letter, GptProblem):
        return json.dumps(_close_after(letter))
    return json.dumps(asdict(letter) | {"problem": None})


def _close_after(problem: GptProblem) -> dict[str, Any]:
    """Close the model, so that the next text loads the code again; return the problem."""
    if _page.gpt is not None:
        _page.gpt.close()
    _page.gpt = None
    return {"problem": asdict(problem)}


@contextlib.contextmanager
def _suppress_output() -> Iterator[None]:
    """Keep warnings from the grader's own code out of the browser's console."""
    with contextlib.redirect_stderr(io.StringIO()):
        yield


def _find_problem(child: PageChild, source: str) -> dict[str, Any] | None:
    """Run a source and return its problem, if any."""
    try:
        answer = child.load(source, [])
    except ChildGoneError as error:
        problem = ending_problem(error, ProgramText(source))
    else:
        if not isinstance(answer, Raised):
            return None
        # The outermost frame is this source's; deeper ones may lie in another cell.
        problem = loading_problem(replace(answer, frames=answer.frames[:1]))
    return {"message": problem.sentence(), "line": problem.line}


def _take_figures(child: PageChild) -> list[dict[str, Any]]:
    """Return the figures of a run; empty if the run has replaced the function that keeps them."""
    with contextlib.suppress(ChildGoneError):
        match child.call("_pop_displays", [], {}):
            case Returned(value=list(value)):
                figures = [dict(item) for item in value]
                for figure in figures:
                    if figure["kind"] != "plot":
                        rows = np.asarray(figure["values"]).tolist()
                        # JSON has neither NaN nor infinity, so they are sent as text.
                        figure["values"] = [
                            [x if math.isfinite(x) else str(x) for x in row] for row in rows
                        ]
                return figures
    return []
