"""The grader's interface for a page: functions of texts, which its worker calls in Pyodide.

`open_exercise`, `open_lesson` and `open_gpt` return nothing. The others return JSON, whatever a
learner writes:

    check(source)  the verdict, as `etude check --format json` prints it
    judge_break(data, program, call)  {"example", "message"}, one of which is null
    shapes(source)  of what each line makes, as in a verdict
    run(source)    {"output", "truncated", "figures", "problem"}
    cell(source)   {"printed", "truncated", "figures", "problem"}
    begin_text(request)  {"prompt", "facts", "problem"}
    next_letter(settings)  {"letter", "choices", "heads", "counts", "problem"}
    arrays(names)  matrices that the cells have made
    names()        for NumPy and its modules: what each public name does

The working folder of `check` and `run` has the exercise's data files, that of `cell` the lesson's.

`truncated` is the number of bytes printed beyond the cap; a problem is `{"message", "line"}`, and
of a learner's own GPT `{"message", "exercise"}`.
"""

import contextlib
import inspect
import io
import json
import math
import warnings
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from grader.browser.data_encoding import BreakData, EngineData, encoded_size, from_text
from grader.browser.other_versions import differences
from grader.browser.own_gpt import Model, OwnGpt, Problem
from grader.browser.page_child import PageChild, PageChildren
from grader.definitions.exercise import Seeded, TestId
from grader.errors import EtudeError
from grader.grading.diagnosis.allowed_calls import judge_call
from grader.grading.diagnosis.explanation import explain
from grader.grading.diagnosis.known_mistakes import Diagnostician
from grader.grading.diagnosis.shapes import shapes as shapes_of
from grader.grading.expected.inputs import draw_inputs
from grader.grading.expected.oracle import Oracle, ValueCache
from grader.grading.feedback import outcome_sentences
from grader.grading.program.author_code import provide_data_files
from grader.grading.program.loaded_program import loading_problem, put_files
from grader.grading.results.jobs import find_limits
from grader.grading.results.verdict import LineShape, Outcome, TestResult, Verdict
from grader.grading.results.verdict_json import fault_data, result_data, verdict_data
from grader.grading.run.best_effort import log_failures
from grader.grading.run.submission_run import RunProblem, SubmissionRun, in_running_order
from grader.grading.submissions.submission import Submission
from grader.lessons import display, plot_display
from grader.lessons.last_expression import print_last_expression
from grader.sandbox.answers import ChildGoneError, Raised, Returned
from grader.sandbox.limits import DEFAULT_LIMITS

_NAME: Final = "browser"  # the sandbox in a verdict
_CELL_SECONDS: Final = 58  # a lesson's page ends Python after sixty
_BEFORE_RUN: Final = """\
from grader.lessons.display import _take, heatmap, table
__name__ = "__main__"
def _give(inputs):
    globals().update({"inputs": inputs} | next(iter(inputs.values()), {}))
"""
_MAX_ROWS: Final = 8  # and columns, of a matrix for a figure
_MAX_SUMMARY_LENGTH: Final = 120  # characters of what a name does


class _Grader:
    """One exercise and its oracle."""

    def __init__(self, data: EngineData) -> None:
        self.exercise = data.exercise
        self._place = PageChildren()
        values = dict(data.values)
        for test in data.exercise.tests:  # inputs that are too large to be loaded are drawn
            if isinstance(test.given, Seeded):
                draws = enumerate(values[test.id].draws)
                drawn = [replace(d, inputs=draw_inputs(data.exercise, test, n)) for n, d in draws]
                values[test.id] = replace(values[test.id], draws=tuple(drawn))
        self._oracle = Oracle(data.exercise, self._place, ValueCache(values))
        self._diagnostician = Diagnostician(self._oracle, self._place, data.mistakes)
        self._limits = find_limits(data.exercise)
        self._versions = data.grader
        self._results: dict[TestId, TestResult] = {}  # of the last verdict

    def verdict(self, source: str) -> Verdict:
        """Grade a source by the visible tests."""
        data = source.encode("utf-8", "surrogatepass")
        submission = Submission.from_bytes(Path(self.exercise.path_name), data)
        results: dict[TestId, TestResult] = {}
        self._results = results
        with SubmissionRun(self._oracle, submission, self._place, self._limits) as run:
            try:
                run.load()
                for test in in_running_order(self.exercise):
                    results[test.id] = run.grade_test(test)
            except MemoryError:  # of ours, with what the submission left
                run.problem = RunProblem(Outcome.OUT_OF_MEMORY, outcome_sentences.TOO_LARGE)
        verdict = run.verdict(results, _NAME)
        notes = (*verdict.notes, *differences(source, self._versions))
        verdict = replace(verdict, notes=notes)
        # The one search of a page: among results of misconceptions that its builder has recorded.
        diagnose = partial(self._diagnostician.diagnose, results, run.observed, source=source)
        verdict = explain(verdict, run, diagnose)
        verdict = replace(verdict, failures=tuple(run.best_effort.failures))
        log_failures(verdict)
        return verdict

    def shapes(self, source: str) -> tuple[LineShape, ...]:
        """Return the shapes in the first visible test that failed last, or in the first one."""
        return shapes_of(self._oracle, source, self._place, self._results)

    def inputs(self) -> dict[TestId, dict[str, Any]]:
        """Return copies of the inputs of the visible tests, without those that cannot be copied."""
        inputs = {}
        for test in self.exercise.tests:
            with provide_data_files(self.exercise):
                draws = () if test.hidden else self._oracle.draws(test)[:1]
                values = {} if not draws else self._oracle.inputs(test, draws[0])
            plain = {
                name: value for name, value in values.items() if encoded_size(value) is not None
            }
            if plain:
                inputs[test.id] = plain
        return inputs


class _LessonNamespace:
    """The namespace in which the cells of a lesson run."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._child = PageChild(replace(DEFAULT_LIMITS, cpu_seconds=_CELL_SECONDS))
        if files:
            self._child.put_files(files)
        self._child.load(inspect.getsource(display), [])
        self._draws = False  # whether cells use matplotlib

    def close(self) -> None:
        """Remove the namespace."""
        self._child.close()

    def value(self, name: str) -> Any:
        """Return what a name has now; None if it is none."""
        answer = self._child.ask("value", name)
        return answer.value if isinstance(answer, Returned) else None

    def cell(self, source: str) -> dict[str, Any]:
        """Run a cell as the next lines of the program."""
        self._child.forget_output()
        if not self._draws and "matplotlib" in source:
            self._child.load(inspect.getsource(plot_display), [])
            self._draws = True
        with contextlib.suppress(Exception):  # a source that Python cannot read fails when it runs
            source = print_last_expression(source)
        problem = _problem_in(self._child, source)
        return {
            "printed": self._child.output(),
            "truncated": self._child.lost,
            "figures": _figures(self._child),
            "problem": problem,
        }


_grader: _Grader | None = None
_session: _LessonNamespace | None = None
_lesson_files: Mapping[str, bytes] = {}
_model: Model | None = None
_gpt: OwnGpt | None = None
_sources: dict[str, str] = {}


def open_exercise(text: str) -> None:
    """Open an exercise for `check`, from its engine data."""
    global _grader  # noqa: PLW0603  a page shows one exercise
    data = from_text(text)
    with _quietly(), provide_data_files(data.exercise):
        _grader = _Grader(data)


def check(source: str) -> str:
    """Grade a source by the visible tests of the exercise."""
    if _grader is None:
        return json.dumps(fault_data("", "no exercise is open"))
    with _quietly(), provide_data_files(_grader.exercise):
        try:
            data = verdict_data(_grader.verdict(source))
        except EtudeError as error:
            data = fault_data(_grader.exercise.id, str(error))
        except Exception as error:  # noqa: BLE001  a fault like any other
            data = fault_data(_grader.exercise.id, f"{type(error).__name__}: {error}")
    return json.dumps(data)


def judge_break(data: str, program: str, call: str) -> str:
    """Judge a call that shall break the program of a misconception.

    Args:
        data: See `break_data` in `shipping`.
        program: The misconception's id.
    """
    breaks: BreakData = from_text(data)
    codes = {each.id: each.code for each in breaks.exercise.misconceptions}
    with _quietly(), provide_data_files(breaks.exercise):
        try:
            judgement = judge_call(
                breaks.exercise, breaks.calls, codes[program], PageChildren(), call
            )
        except Exception as error:  # noqa: BLE001  said on the page, which goes on
            judgement = f"This could not be judged: {type(error).__name__}: {error}"
    if isinstance(judgement, str):
        return json.dumps({"example": None, "message": judgement})
    example = {"code": judgement.code, "result": result_data(judgement.result)}
    return json.dumps({"example": example, "message": None})


def shapes(source: str) -> str:
    """Return the shapes of what each line of a source makes in a visible test."""
    if _grader is None:
        return "[]"
    with _quietly(), provide_data_files(_grader.exercise):
        try:
            return json.dumps([asdict(shape) for shape in _grader.shapes(source)])
        except Exception:  # noqa: BLE001  the shapes are extra; what is wrong is told by `check`
            return "[]"


def run(source: str) -> str:
    """Run a source in a namespace of its own and return what it prints and draws.

    The namespace has `heatmap` and `table`, the inputs of the first visible test by their names,
    and those of all in `inputs`.
    """
    with _quietly(), PageChild(DEFAULT_LIMITS) as child:
        if _grader is not None:
            put_files(child, _grader.exercise)
        child.load(_BEFORE_RUN, [])
        _figures(child)  # of a run that was stopped
        child.call("_give", [_grader.inputs() if _grader else {}], {})
        problem = _problem_in(child, source)
        output = child.output()
        reply = {"output": output, "truncated": child.lost, "figures": _figures(child)}
        return json.dumps(reply | {"problem": problem})


def names() -> str:
    """Return what each public name of NumPy and its modules does, for completion in an editor.

    That is the sentence with which NumPy's documentation begins; it may be empty.
    """
    entries = {}
    with _quietly(), warnings.catch_warnings(action="ignore"):
        for name, module in (("np", np), ("np.linalg", np.linalg), ("np.random", np.random)):
            loaded = vars(module)  # `dir` also has modules that NumPy would only import now
            public = [each for each in loaded if not each.startswith("_")]
            entries[name] = dict.fromkeys(sorted(public), "")
            for each in public:
                value = loaded[each]
                # A number's documentation is that of its class.
                if not isinstance(value, (bool, int, float)) and not inspect.ismodule(value):
                    paragraphs = (value.__doc__ or "").split("\n\n")
                    # A signature may come before it.
                    texts = (text for text in paragraphs if "(" not in text.partition(" ")[0])
                    entries[name][each] = " ".join(next(texts, "").split())[:_MAX_SUMMARY_LENGTH]
    return json.dumps(entries)


def arrays(*names: str) -> str:
    """Return the matrices of the open lesson with these names; null for what is no small matrix."""
    matrices: dict[str, list[list[float]] | None] = dict.fromkeys(names)
    if _session is None:
        return json.dumps(matrices)
    for name in names:
        with _quietly(), contextlib.suppress(ChildGoneError):
            value = _session.value(name)
            if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
                continue
            fits = value.ndim == 2 and max(value.shape) <= _MAX_ROWS  # noqa: PLR2004
            if fits and value.size and np.isfinite(value).all():
                matrices[name] = value.astype(float).tolist()
    return json.dumps(matrices)


def open_lesson(files: str = "") -> None:
    """Start a lesson, or start it again, in an empty namespace.

    Args:
        files: Its data files at the first time: JSON, each name with the bytes in base 64.
    """
    global _session, _lesson_files  # noqa: PLW0603  a page shows one lesson
    if _session is not None:
        _session.close()
    if files:
        _lesson_files = {name: b64decode(data) for name, data in json.loads(files).items()}
    with _quietly():
        _session = _LessonNamespace(_lesson_files)


def cell(source: str) -> str:
    """Run a cell of the lesson, after those before it."""
    if _session is None:
        open_lesson()
    assert _session is not None  # for the type checker
    with _quietly():
        return json.dumps(_session.cell(source))


def open_gpt(text: str) -> None:
    """Open the model of a learner's own GPT."""
    global _model  # noqa: PLW0603  a page has one model
    _model = Model.read(text)


def begin_text(request: str) -> str:
    """Begin a text with a learner's own functions.

    Args:
        request: JSON of `sources` by exercise, `names` of the model's programs for the others,
            `prompt` and `seed`.
    """
    global _gpt, _sources
    settings = json.loads(request)
    assert _model is not None  # a page opens it first
    names: dict[str, str] = settings.pop("names", {})
    of_model = {each: _model.programs[each][name] for each, name in names.items()}
    sources = of_model | settings.pop("sources")
    with _quietly():
        is_new = _gpt is None or sources != _sources
        if is_new:
            if _gpt is not None:
                _gpt.close()
            _gpt, _sources = OwnGpt(_model, sources), sources
        assert _gpt is not None  # for the type checker
        settings["prompt"] = _model.without_unknown(settings["prompt"])
        problem = _gpt.begin(**settings, is_new=is_new)
        facts = {} if problem else _gpt.facts
        answer = {"prompt": settings["prompt"], "facts": facts, "problem": None}
        return json.dumps(answer | _close_after(problem) if problem else answer)


def next_letter(settings: str) -> str:
    """Write one letter more of the text.

    Args:
        settings: JSON of `temperature` and `top_k`.
    """
    assert _gpt is not None  # a page begins a text first
    with _quietly():
        step = _gpt.next_letter(**json.loads(settings))
    if isinstance(step, Problem):
        return json.dumps(_close_after(step))
    return json.dumps(asdict(step) | {"problem": None})


def _close_after(problem: Problem) -> dict[str, Any]:
    """Close the functions, so that the next text loads them again; return the problem."""
    global _gpt  # noqa: PLW0603  as above
    if _gpt is not None:
        _gpt.close()
    _gpt = None
    return {"problem": asdict(problem)}


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Keep warnings about the grader's own code out of the browser's console."""
    with contextlib.redirect_stderr(io.StringIO()):
        yield


def _problem_in(child: PageChild, source: str) -> dict[str, Any] | None:
    """Run a source and return its problem, if any."""
    try:
        answer = child.load(source, [])
    except ChildGoneError as error:
        sentence = outcome_sentences.ended_process_sentence(error, source)
        return {"message": sentence, "line": outcome_sentences.stopped_line(error, source)}
    if not isinstance(answer, Raised):
        return None
    # The outermost frame is this source's; deeper ones may lie in another cell.
    problem = loading_problem(replace(answer, frames=answer.frames[:1]))
    return {"message": problem.sentence(), "line": problem.line}


def _figures(child: PageChild) -> list[dict[str, Any]]:
    """Return the figures of a run; none if it has replaced the function that keeps them."""
    with contextlib.suppress(ChildGoneError):
        match child.call("_take", [], {}):
            case Returned(value=list(value)):
                figures = [dict(each) for each in value]
                for figure in figures:
                    if figure["kind"] != "plot":
                        rows = np.asarray(figure["values"]).tolist()
                        # JSON has no NaN and no infinity: they are sent as text.
                        figure["values"] = [
                            [x if math.isfinite(x) else str(x) for x in row] for row in rows
                        ]
                return figures
    return []
