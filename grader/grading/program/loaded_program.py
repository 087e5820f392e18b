"""A loaded program with its child, its proxies and its values, and how it is loaded."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from grader.definitions.exercise import Exercise
from grader.errors import GraderFault, Location
from grader.grading.feedback import outcome_sentences, prediction_sentences
from grader.grading.program.joined_program import JoinedProgram, join_cells, load_cells
from grader.grading.program.proxies import NameProxy, NoValueError, RunningProgram
from grader.grading.program.requests import Requests
from grader.grading.program.screening import RunProblem, SentenceMaker, screen
from grader.grading.program.value_copies import freeze_arrays
from grader.grading.results.error_outcome import classify_error
from grader.grading.results.verdict import Outcome
from grader.grading.submissions.file_kinds import file_kind
from grader.grading.submissions.program_text import NO_TEXT, ProgramText
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import ChildGoneError, DefinedNames, Raised, Returned, Unsupported
from grader.sandbox.interface import Child
from grader.sandbox.limits import DEFAULT_RESULT_BYTES


def put_files(child: Child, contents: Mapping[str, bytes], owner: str) -> None:
    """Give data files to a child that has not run any code yet.

    Args:
        owner: What has the files, such as the id of an exercise.

    Raises:
        GraderFault: The sandbox does not support data files.
    """
    if contents and not isinstance(child.put_files(contents), Returned):
        raise GraderFault(f"{owner} has data files, which this sandbox cannot take")


@dataclass(slots=True, eq=False)
class LoadedProgram(RunningProgram):
    """A program in its child, after it was loaded."""

    exercise: Exercise
    values: Mapping[str, Any]  # values of the names that are bound to plain data
    text: ProgramText = NO_TEXT  # what sentences quote; a suite's code runs in another child
    defined: DefinedNames = field(default_factory=DefinedNames)

    def __post_init__(self) -> None:
        definitions = self.exercise.defines.values()
        self.has_values = bool(self.values)
        self.operators = frozenset(name for each in definitions for name in each.operators)
        self.allows_objects = any(each.kind == "class" for each in definitions)

    def bindings(self, requests: Requests) -> dict[str, Any]:
        """Return the value of each defined name, or the proxy to call."""
        return {
            name: freeze_arrays(self.values[name])
            if name in self.values
            else NameProxy(requests, name)
            for name in self.exercise.defines
        }

    def capture_output(self, where: Location, statements: str, inputs: Mapping[str, Any]) -> str:
        """Run statements after the program and return their standard output.

        Raises:
            NoValueError: The statements raise an error.
        """
        begin = self.child.output_size
        value = Requests(self, where).run_statements("run", statements, inputs)
        count = value if type(value) is int else 0
        return self.child.output(begin, min(begin + max(count, 0), self.child.output_size))


_PLACEHOLDERS = ("ellipsis", "NoneType")


@dataclass(frozen=True, slots=True)
class LoadedSubmission:
    """A submission that is ready for tests, or the problem that keeps it from them."""

    program: LoadedProgram | None = None
    problem: RunProblem | None = None
    text: ProgramText = NO_TEXT
    notes: tuple[SentenceMaker, ...] = ()  # notes about a notebook's cells


def load(child: Child, submission: Submission, exercise: Exercise) -> LoadedSubmission:
    """Load a submission into a child that has not run any code yet.

    Raises:
        GraderFault: The exercise has data files, which the sandbox does not support.
    """
    put_files(child, exercise.data, exercise.id)
    text = ProgramText.from_submission(submission)
    if exercise.files_to_submit:
        file_names = [name for name, _, _ in text.files]
        if submission.cells:
            file_names.insert(0, exercise.files_to_submit[0])
        if set(file_names) != set(exercise.files_to_submit):
            sentence_of = partial(
                outcome_sentences.wrong_files_sentence, file_names, exercise.files_to_submit
            )
            missing = RunProblem(Outcome.ERRORED, sentence_of)
            return LoadedSubmission(problem=missing)
    program = JoinedProgram(text)
    if submission.cells:
        try:
            program = join_cells(child, submission)
        except ChildGoneError as error:
            return LoadedSubmission(problem=ending_problem(error))
    loaded = _load(child, program, exercise)
    problem = loaded.problem and replace(
        loaded.problem, line=program.text.main_line(loaded.problem.line)
    )
    return replace(
        loaded,
        problem=problem,
        text=program.text,
        notes=(*program.notes, *loaded.notes),
    )


def _load(child: Child, program: JoinedProgram, exercise: Exercise) -> LoadedSubmission:
    text, kind = program.text, exercise.kind
    names = list(exercise.defines)
    packages = tuple(dict.fromkeys(name.partition(".")[0] for name in exercise.packages))
    notes: tuple[SentenceMaker, ...] = ()
    try:
        problem = screen(child, text, exercise)
        if isinstance(problem, Raised):
            problem = loading_problem(problem, text)
        if problem is not None:
            return LoadedSubmission(problem=problem)
        if kind == "test":  # not loaded: it runs beside each program, in another child
            defined = DefinedNames(packages=packages)
            return LoadedSubmission(LoadedProgram(child, exercise, {}, text, defined))
        if kind == "predict":
            answer = child.ask("load_answers", text.source, names)
        elif text.numbers:
            answer, notes = load_cells(child, program, names)
        else:
            answer = child.load(text.source, names)
        if isinstance(answer, Raised):
            return LoadedSubmission(problem=loading_problem(answer, text, packages))
        facts = answer.value if isinstance(answer, Returned) else None
        defined = replace(DefinedNames.from_facts(facts, names), packages=packages)
        problems = (_name_problem(exercise, name, defined, text) for name in names)
        values = next(filter(None, problems), None) or _values(child, exercise, text)
    except ChildGoneError as error:
        return LoadedSubmission(problem=ending_problem(error, text))
    if isinstance(values, RunProblem):
        return LoadedSubmission(problem=values, notes=notes)
    loaded = LoadedProgram(child, exercise, values, text, defined)
    return LoadedSubmission(loaded, notes=notes)


def ending_problem(error: ChildGoneError, text: ProgramText = NO_TEXT) -> RunProblem:
    """Return the problem for the end of a program's process."""
    return RunProblem(
        classify_error(error),
        partial(outcome_sentences.ended_process_sentence, error, text),
        outcome_sentences.stopped_line(error, text.source),
    )


def loading_problem(
    answer: Raised, text: ProgramText = NO_TEXT, packages: tuple[str, ...] = ()
) -> RunProblem:
    """Return the problem for an exception that ended the loading of a program.

    Args:
        packages: The packages that the program may import besides NumPy.
    """
    if "SyntaxError" in answer.bases and not answer.frames:
        sentence_of = partial(outcome_sentences.syntax_error_sentence, answer, text)
        return RunProblem(Outcome.ERRORED, sentence_of, answer.line)
    line = answer.frames[-1][0] if answer.frames else None
    defined_names = DefinedNames(packages=packages)

    def sentence() -> str:
        if answer.type == "NameError" and (kind := file_kind(text.source.encode())):
            return kind  # as for a notebook, which Python reads as a dictionary
        reason = outcome_sentences.error_sentence(
            answer, "", defined_names, text, loading=bool(text.source)
        )
        if answer.type != "ModuleNotFoundError":
            return reason
        # Imported here, since only failures need it.
        from grader.grading.feedback.error_explanations import numpy_sentence

        return " ".join(filter(None, (reason, numpy_sentence(text.source))))

    return RunProblem(classify_error(answer), sentence, line)


def _name_problem(
    exercise: Exercise, name: str, defined_names: DefinedNames, text: ProgramText
) -> RunProblem | None:
    """Return the problem with a name that the tests use, or None."""
    kind_needed = exercise.defines[name].kind
    needs_value = kind_needed == "value"
    definition = defined_names.defined.get(name)
    if definition is None:
        codes = (t.code for t in exercise.tests if t.compared == "value" and not t.hidden)
        call = next(codes, next(iter(exercise.defines)))
        sentence_of = partial(
            outcome_sentences.missing_name_sentence,
            name,
            call,
            defined_names.names,
            kind_needed,
            text,
        )
        return RunProblem(Outcome.FAILED, sentence_of)
    if needs_value and definition.kind in _PLACEHOLDERS:
        sentence_of = partial(prediction_sentences.unanswered_sentence, name, definition.kind)
        return RunProblem(Outcome.FAILED, sentence_of, is_unanswered=True)
    if kind_needed == "class":
        fits = definition.kind == "class"
    else:
        fits = definition.callable is not needs_value
    if fits:
        return None
    sentence_of = partial(
        outcome_sentences.wrong_kind_sentence, name, kind_needed, definition.kind, text
    )
    return RunProblem(Outcome.FAILED, sentence_of)


def _values(child: Child, exercise: Exercise, text: ProgramText) -> dict[str, Any] | RunProblem:
    """Return the values that a submission defines, or the problem with one of them."""
    program, values = RunningProgram(child), {}
    requests = Requests(program, exercise.where, max_bytes=DEFAULT_RESULT_BYTES)
    for name, definition in exercise.defines.items():
        if definition.kind != "value":
            continue
        try:
            values[name] = freeze_arrays(requests.current(name))
        except NoValueError as error:
            answer = error.answer
            sentence_of = (
                partial(outcome_sentences.unsupported_value_sentence, name, answer)
                if isinstance(answer, Unsupported)
                else partial(outcome_sentences.error_sentence, answer, "", DefinedNames(), text)
            )
            return RunProblem(Outcome.FAILED, sentence_of)
        if definition.choices and str(values[name]).strip() not in definition.choices:
            sentence_of = partial(prediction_sentences.choices_sentence, name, definition.choices)
            return RunProblem(Outcome.FAILED, sentence_of)
    return values
