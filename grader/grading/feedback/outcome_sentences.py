"""The sentences about the outcome of a test or a submission.

Those about wrong results stand in other modules, except for hidden tests.

A sentence about a hidden test must not contain anything that the submission could have chosen: no
message, no value, no line. It is made only from the outcome, the kind of difference and the test's
own property, and its inputs if it discloses them.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from grader.definitions.exercise import DefinedAs, Disclosure, Property
from grader.definitions.properties import PROPERTIES
from grader.definitions.wording import join_words, other_letter, plural, shorten
from grader.grading.feedback.hidden_sentences import NOT_PASSED
from grader.grading.feedback.name_places import NamePlace, find_places
from grader.grading.results.raw_result import DifferenceKind
from grader.grading.results.verdict import Outcome
from grader.grading.submissions.file_kinds import file_kind
from grader.grading.submissions.program_text import NO_TEXT, ProgramText
from grader.sandbox.answers import Cause, ChildGoneError, DefinedNames, Raised, Unsupported

_HIDDEN_BY_DIFFERENCE = {
    DifferenceKind.NOTHING: "Nothing was returned for the inputs of this hidden test.",
    DifferenceKind.SILENCE: "Nothing was printed for the inputs of this hidden test.",
    DifferenceKind.TYPE: "The result has the wrong type for the inputs of this hidden test.",
    DifferenceKind.LENGTH: (
        "The result has the wrong number of items for the inputs of this hidden test."
    ),
    DifferenceKind.SHAPE: "The result has the wrong shape for the inputs of this hidden test.",
    DifferenceKind.DTYPE: "The result has the wrong dtype for the inputs of this hidden test.",
    DifferenceKind.NOT_FINITE: (
        "The result has NaN or infinity where this hidden test expects a number."
    ),
    DifferenceKind.VALUES: "The result has the right form but wrong values in this hidden test.",
    DifferenceKind.INPUTS: "Your code changes its inputs in place in this hidden test.",
    DifferenceKind.TEXT: "The wrong text was printed for the inputs of this hidden test.",
    DifferenceKind.FIGURE: "The wrong figure was drawn for the inputs of this hidden test.",
    DifferenceKind.ASSERTION: "Something that this hidden test asserts does not hold.",
    DifferenceKind.BUDGET: "Your code uses more time or memory than this hidden test allows.",
    DifferenceKind.PROPERTY: (
        "A property that every right answer has does not hold in this hidden test."
    ),
}
_HIDDEN_BY_OUTCOME = {
    Outcome.FAILED: "The result of this hidden test is wrong.",
    Outcome.ERRORED: "Your code raised an error or ended for the inputs of this hidden test.",
    Outcome.TIMED_OUT: "Your code took too long for the inputs of this hidden test.",
    Outcome.OUT_OF_MEMORY: "Your code ran out of memory for the inputs of this hidden test.",
    Outcome.OUTPUT_LIMIT: "Your code printed too much for the inputs of this hidden test.",
}
_MAX_LISTED_LINES = 5  # omitted lines of a notebook that a note lists
MAX_QUOTE_LENGTH = 300  # characters of a submission's own text in a sentence

_QUOTED = re.compile(r"'([^']+)'")
_NO_MODULE = re.compile(r"^No module named '(?!_multiprocessing|_posixshmem)([^']+)'")
_MERGE_CONFLICT = re.compile(r"^<{7}(?: .*)?\n(?:.*\n)*?={7}\n(?:.*\n)*?>{7}(?= |$)", re.MULTILINE)
_PLACE = re.compile(r" \((?:/[^()]*|unknown location)\)$")  # the path of a module on this machine
# The names of dtypes by their kinds.
_DTYPES = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex", "U": "str"}
_LOOP = re.compile(r"(?:while|for)\b.*?(?=:\s*(?:#|$)|$)")

_ENDED = (
    "Your code ended the whole program, so no test after that could run. Leave this out: a "
    "function ends with `return`."
)
STARTER = "This is still the starter: write your code into it."
PRINTED = "You printed the right answer. Return it instead of printing it."
RETURNED = "Your code has no `print`: it returns its text, and what is printed counts here."
ONLY_PRINTED = "Your code prints something here, and returns nothing."
WORKAROUND = (
    "{line} uses `{name}`, which can reach by another name what this exercise does without, "
    "so it is not allowed here either."
)
MODULE_PASSED_ON = (
    "{line} passes `{name}` around, which could hide what this exercise does without. Write "
    "`{name}.` and what you need of it where you need it."
)
TOO_MANY_NAMES = "Your code uses more names than can be checked for what this exercise forbids."
TOO_LARGE = (
    "What the test computes from the result of your code does not fit into memory. Look at the "
    "shape that you return: a length of it is much too large."
)
OUTPUT_LIMIT = (
    "Your code printed more than it may, so the rest was cut off. Is there a print in a loop?"
)
NO_SENTENCE = "No test could run."
NO_LETTER = "Your functions gave nothing that is a letter."
NOT_RUN = "Not run, because your program had ended before."
NO_TESTS = (
    "All that is asked for is there. Whether it is right is found by the hidden tests, which are "
    "not run here."
)


def hidden_test_sentence(
    disclose: Disclosure,
    outcome: Outcome,
    kind: DifferenceKind | None,
    inputs: Mapping[str, Any],
    holds: Property | None = None,
) -> str:
    """Return the sentence about a hidden test that its disclosure allows.

    The sentence is fixed even where the inputs may be shown, since a result or an error could
    contain the inputs of another hidden test.
    """
    if disclose == "nothing":
        return NOT_PASSED
    sentence = _HIDDEN_BY_OUTCOME[outcome] if kind is None else _HIDDEN_BY_DIFFERENCE[kind]
    if kind is DifferenceKind.PROPERTY and holds is not None:
        sentence = PROPERTIES[holds].in_hidden_test
    if disclose != "inputs":
        return sentence
    with np.printoptions(precision=4, threshold=24, edgeitems=2, linewidth=1000):
        printed = {name: " ".join(repr(value).split()) for name, value in inputs.items()}
    input_texts = "; ".join(f"{name} = {text:.300}" for name, text in printed.items())
    return f"{sentence} Its inputs: {input_texts or 'none'}."


def draw_note(draw: int, draws: int) -> str:
    """Return the note about the draw, counted from 0, that failed; "" if there is only one."""
    return f"(Inputs {draw + 1} of {draws}.)" if draws > 1 else ""


def partial_credit_note(passed: int, draws: int, points: int) -> str:
    """Return the note about the points for the draws that passed."""
    return f"{passed} of {draws} inputs pass: {plural(points, 'point')}."


def error_sentence(
    error: Raised,
    call: str,
    defined_names: DefinedNames,
    text: ProgramText = NO_TEXT,
    *,
    loading: bool = False,
) -> str:
    """Return the sentence about a submission's exception and its place.

    Args:
        call: The test's own code, empty if no test was running.
        defined_names: The names that the submission defines.
        loading: Whether the submission's file was being loaded.
    """
    at = _at(error, text, loading=loading)
    sentence = ""
    if error.type == "SystemExit":
        sentence = "Your code ends the program with sys.exit(). Return from the function instead."
        if loading:
            sentence = f"Your code ends the program{at}. Leave this line out."
    elif error.type == "OutputLimitError":
        sentence = OUTPUT_LIMIT
    elif "MemoryError" in error.bases:
        sentence = f"Your code asked for more memory than it may use{at}."
    elif error.type == "ModuleNotFoundError" and (module := _NO_MODULE.search(error.message)):
        modules = (
            f"only {', '.join(['NumPy', *defined_names.packages])} and Python's standard library"
        )
        from grader.grading.feedback import versions  # only failures need it

        version_sentence = versions.missing_name_sentence(error.message)
        sentence = f"There is no module `{module[1]:.60}` here, {modules}{_at(error, text)}."
        sentence = f"{version_sentence[:-1]}{_at(error, text)}." if version_sentence else sentence
    if sentence:
        return sentence
    if not error.frames and call:
        return _test_line_sentence(error, call, defined_names, text)
    explained = _cause_sentence(error)
    if not explained:
        return f"{error_text(error)}{at}."
    place = _place(error, text, loading=loading)
    return f"{place and f'{place[0].upper()}{place[1:]}: '}{explained} ({error_text(error)})"


def _cause_sentence(error: Raised) -> str:
    """Return the sentences about the cause of an error, or "" if it is unknown."""
    if error.type == "EOFError":
        return "Nothing can be typed in here: `input()` has nothing to read."
    from grader.grading.feedback import error_explanations  # only failures need it

    shapes = ""
    if error_explanations.signature(error.type, error.message):
        shapes = error_explanations.shapes_sentence(error.shapes)
    sentence = error_explanations.cause_sentence(error.type, error.message)
    if not sentence and error.type == "NameError" and (missing := _QUOTED.search(error.message)):
        return error_explanations.undefined_name_sentence(missing[1], error.names)
    return " ".join(filter(None, (sentence, shapes)))


def error_text(error: Raised) -> str:
    """Return an error's type and message, as Python prints them."""
    return f"{error.type}: {_error_words(error)}" if error.message else error.type


def _error_words(error: Raised) -> str:
    """Return an error's message for use within a sentence."""
    return shorten(_PLACE.sub("", error.message).removesuffix("."), MAX_QUOTE_LENGTH)


def _at(error: Raised, text: ProgramText, *, loading: bool = False) -> str:
    place = _place(error, text, loading=loading)
    return place and f" ({place})"


def _place(error: Raised, text: ProgramText, *, loading: bool) -> str:
    """Return the place of an exception, such as "line 3, in softmax"."""
    if not error.frames:
        return ""
    line, function = error.frames[-1]
    place = (
        text.name_line(line) if function == "<module>" else f"{text.name_line(line)}, in {function}"
    )
    if not loading:
        return place
    # The call at the top level is mentioned, since the learner can remove it.
    caller = error.frames[0][0]
    called = f", called in {text.name_line(caller)}" if caller != line else ""
    return f"{place}{called}, while your file was loaded"


def _test_line_sentence(
    error: Raised, call: str, defined_names: DefinedNames, text: ProgramText
) -> str:
    """Return the sentence about an error at the call, or in the test's own line."""
    call = shorten(call, MAX_QUOTE_LENGTH)
    # First, check for a call that does not fit the definition of the name.
    for name, defined in defined_names.defined.items():
        where = f" ({text.name_line(defined.line)})" if defined.line else ""
        _, lacks, attribute = error.message.partition(f"'{name}' object has no attribute ")
        is_type_error, problem = error.type == "TypeError", ""
        if is_type_error and error.message.startswith((f"{name}()", f"{name}.__init__()")):
            spelled = f"function is `def {name}{defined.signature}`"
            if defined.kind == "class":
                spelled = f"class is made by `{name}{defined.signature}`"
            problem = f"your {spelled}{where}: {_error_words(error)}."
        elif is_type_error and error.message.startswith(f"{name}."):
            problem = f"{_error_words(error)}. The first parameter of a method is `self`."
        elif error.type == "AttributeError" and lacks:
            problem = (
                f"an object of your class `{name}`{where} has no {attribute[:MAX_QUOTE_LENGTH]}."
            )
        if problem:
            return f"The test runs `{call}`, but {problem}"
    return (
        f"The test's own line fails with what your code gave it: `{call}` "
        f"({error.type}: {_error_words(error)}). Does your function return what is asked for?"
    )


def syntax_error_sentence(error: Raised, text: ProgramText = NO_TEXT) -> str:
    """Return the sentence about code that Python cannot read."""
    source = text.source
    if kind := file_kind(source.encode()):
        return kind
    if merged := _MERGE_CONFLICT.search(source):
        first, last = (text.name_line(_line_at(source, position)) for position in merged.span())
        return (
            f"Git has left two versions in your file, from {first} to {last}. Keep one, and take "
            "out the lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`."
        )
    quoted = f": `{error.text.strip()[:80]}`" if error.text.strip() else ""
    line = text.name_line(error.line) if error.line else "your code"
    message = text.in_message(shorten(error.message, MAX_QUOTE_LENGTH))
    quoted_error = f"({error.type}: {message})"
    from grader.grading.feedback.error_explanations import unreadable_line_sentence

    if explained := unreadable_line_sentence(error.text.strip(), error.message):
        return f"Python cannot read {line}{quoted}. {explained} {quoted_error}"
    return f"Python cannot read {line}{quoted} {quoted_error}."


def _line_at(source: str, position: int) -> int:
    return source.count("\n", 0, position) + 1


def wrong_files_sentence(names: Sequence[str], required: Sequence[str]) -> str:
    """Return the sentence about a missing or unexpected file, or ""."""

    def quote_files(files: Sequence[str]) -> str:
        return join_words((f"`{shorten(name, MAX_QUOTE_LENGTH)}`" for name in files), "and")

    if not names:
        return (
            f"This is one file alone. Submit {quote_files(required)}: a folder with them, or one "
            "text with a line `# etude file: NAME` before each."
        )
    for files, reason in (
        ([name for name in required if name not in names], "missing"),
        ([name for name in names if name not in required], "not asked for"),
    ):
        if files:
            verb = "is" if len(files) == 1 else "are"
            return f"{quote_files(files)} {verb} {reason}. Submit {quote_files(required)}."
    return ""


def left_out_note(lines: Sequence[tuple[str, str]]) -> str:
    """Return the note about lines of a notebook that were left out of the program.

    Args:
        lines: The name of the cell and the text of each line.
    """
    listed = ", ".join(f"`{text}` ({cell})" for cell, text in lines[:_MAX_LISTED_LINES])
    more = len(lines) - _MAX_LISTED_LINES
    return f"Left out, since it works only in a notebook: {listed}{f', {more} more' * (more > 0)}."


def failed_cell_note(number: int, line: int | None, error: Raised, text: ProgramText) -> str:
    """Return the note about a cell of a notebook that did not run to its end."""
    cell = text.cell(number)
    if "SyntaxError" in error.bases and not error.frames:
        return f"{cell.capitalize()} was left out. {syntax_error_sentence(error, text)}"
    pronoun = "" if text.is_exported else "its "
    at = f" at {pronoun}line {line}" if line else ""
    stopped = f"{cell.capitalize()} stopped{at} ({error_text(error)})"
    return f"{stopped}. What it defines and the other cells were run."


def unsupported_result_sentence(answer: Unsupported, expected: object = None) -> str:
    """Return the sentence about a result of a type that cannot be compared.

    Args:
        expected: The right value, if it may be disclosed.
    """
    where = f" (at {answer.path} of the result)" if answer.path else ""
    if answer.kind == "coroutine":
        return "Your function is `async def`, so calling it computes nothing. Write `def`."
    kind = answer.kind
    advice = "Return plain Python values or NumPy arrays."
    if kind.startswith("a value "):  # if the value is too large
        advice = "Look at the shape of your result: is a length of it much too large?"
    elif kind in ("function", "builtin_function_or_method", "method"):
        advice = "Are the round brackets missing that call it?"
    elif kind == "generator":
        advice = "Write `return` in place of a `yield`, or square brackets around it, for a list."
    elif any(word in kind for word in ("array", "matrix", "Masked")):
        dtype = getattr(expected, "dtype", np.dtype(object))
        word = _DTYPES.get(dtype.kind, "")
        advice = f"Return an array of dtype {dtype}."
        if word:
            advice = f"Return an ordinary array, for example `np.asarray(result, dtype={word})`."
        elif dtype.kind == "O":
            advice = "Return an ordinary array, with a dtype such as `float`, `int` or `str`."
    return f"Your function returned {_article(kind)}{where}. {advice}"


def unsupported_value_sentence(name: str, answer: Unsupported) -> str:
    """Return the sentence about a defined value of a type that cannot be compared."""
    where = f" at {answer.path}" if answer.path else ""
    kind = _article(answer.kind)
    if answer.is_too_large:
        return f"`{name}` is {kind}. Look at its shape: is a length of it much too large?"
    return f"`{name}` is {kind}{where}; write plain Python values or ordinary NumPy arrays."


def _article(kind: str) -> str:
    if kind == "ndarray":
        return "a NumPy array"
    if kind.startswith(("a ", "an ")):
        return kind
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def _time_out_sentence(error: ChildGoneError, text: ProgramText) -> str:
    """Return the sentence about a submission that ran out of CPU time, with its line if known."""
    stopped, line = error.stopped, stopped_line(error, text.source)
    beginning = f"Stopped after {error.detail}"
    if stopped is None or line is None:
        return f"{beginning} of computing. Is there a loop without an end?"
    place = f"{beginning} in {text.name_line(line)}"
    code = text.source.splitlines()[line - 1].strip()
    loop = _LOOP.match(code)
    if not stopped.is_loop or loop is None:
        return f"{place}, `{code:.80}`. Is there a loop without an end?"
    place += f", `{loop[0]:.80}`"
    values = [value for value in stopped.values if re.search(rf"\b{value[0]}\b", loop[0])]
    if loop[0].startswith("for"):
        reached = " and ".join(f"`{name}` had reached {value}" for name, value, _ in values[:1])
        return f"{place}: {reached or 'it goes on for too long'}."
    moved = [f"`{name}` was {value}" for name, value, changed in values if changed]
    if moved:
        return f"{place}: after many rounds {join_words(moved, 'and')}."
    if values:
        last_values = [f"`{name}` was {value}" for name, value, _ in values]
        return f"{place}: {join_words(last_values, 'and')} all the time."
    return f"{place}: nothing ended this loop."


def stopped_line(error: ChildGoneError, source: str) -> int | None:
    """Return the line that a submission was running when its time was over, or None."""
    line = error.stopped.line if error.stopped else 0
    return line if 0 < line <= len(source.splitlines()) else None


def ended_process_sentence(error: ChildGoneError, text: ProgramText = NO_TEXT) -> str:
    """Return the sentence about the end of a submission's process."""
    match error.cause:
        case Cause.CPU_TIME:
            return _time_out_sentence(error, text)
        case Cause.WALL_TIME:
            return f"Stopped after {error.detail}. Does it wait for something, or never end?"
        case Cause.SIGNAL:
            return f"Python itself crashed ({error.detail}) while it ran your code."
        case Cause.KILLED:
            return "Your code's process was killed. Did it use too much memory, or end itself?"
        case Cause.EXIT:
            return _ENDED
        case Cause.PROTOCOL:
            return "Your code wrote to the grader's connection, so there is no answer to judge."


def unreturned_value_sentence(claim: object, text: ProgramText) -> str:
    """Return the sentence about a value that is computed but not returned, or "".

    Args:
        claim: The name of the value, which may be empty, and its line. This comes from the
            submission's process and is not trusted.
    """
    lines = text.source.splitlines()
    match claim:
        case [str(name), int(line)] if 0 < line <= len(lines):
            if not name:
                return (
                    f"The value of {text.name_line(line)} is not returned: put `return` before it."
                )
            if re.search(rf"\b{re.escape(name)}\b", lines[line - 1]):
                return f"`{name}` is computed in {text.name_line(line)} and never returned."
    return ""


def missing_name_sentence(
    name: str,
    call: str,
    names: Sequence[str],
    kind: DefinedAs = "function",
    text: ProgramText = NO_TEXT,
) -> str:
    """Return the sentence about a missing name, with a suggestion if possible.

    Args:
        call: The code of a test that uses the name.
    """
    source = text.source
    if sentence := file_kind(source.encode()):
        return sentence
    for defined in names:
        if sentence := other_letter(defined, name):
            return sentence
    places = sorted(find_places(name, source), key=lambda place: place.where != "code")
    for place in places:
        if sentence := _unreached_sentence(name, place, text) or _deletion_sentence(
            name, place, text
        ):
            return sentence
    if kind == "value":
        return f"There is no `{name}` in your code; write your answer as `{name} = ...`."
    spelled = {defined.lower(): defined for defined in names}
    close = difflib.get_close_matches(name.lower(), spelled, n=1, cutoff=0.6)
    if close:
        return f"There is no {kind} `{name}` in your code. Is `{spelled[close[0]]}` meant to be it?"
    return f"There is no {kind} `{name}` in your code; the tests call `{call}`."


def _deletion_sentence(name: str, place: NamePlace, text: ProgramText) -> str:
    """Return the sentence about a `del` that deletes a defined name, or ""."""
    deletion = rf"^[ \t]*del\b[^#\n]*\b{re.escape(name)}\b"
    deleted = re.search(deletion, text.source, re.MULTILINE)
    if place.where != "code" or place.blocks or deleted is None:
        return ""
    line = text.name_line(_line_at(text.source, deleted.start()))
    return f"`{name}` ({text.name_line(place.line)}) is deleted in {line}. Take out the `del`."


def _unreached_sentence(name: str, place: NamePlace, text: ProgramText) -> str:
    """Return the sentence about a definition that has no effect at the top level, or ""."""
    subject = f"`{name}` ({text.name_line(place.line)})"
    if place.where == "comment":
        return f"{subject} stands in a comment, which Python skips. Take out the `#`."
    if place.where == "text":
        return (
            f"{subject} stands in a text, between quotes, which does not run. Take out the quotes."
        )
    outer = [block for block in place.blocks if re.match(r"(?:async\s+)?def\b|class\b", block[1])]
    if outer:
        of_class = outer[-1][1].startswith("class")
        inside = re.sub(r"(?:async\s+)?(?:def\s+)?((?:class\s+)?\w+).*", r"\1", outer[-1][1])
        return (
            f"{subject} stands inside `{inside}`. Move it to the left edge of your "
            f"file{', and write it without `self`' * of_class}."
        )
    if not place.blocks:
        return ""
    line, header = place.blocks[-1]
    reason = "which was not reached"
    if "__name__" in header:
        reason = "which does not run when the tests import your file"
    return (
        f"{subject} stands under `{header:.60}` ({text.name_line(line)}), {reason}. "
        "Move it to the left edge of your file."
    )


def second_definition_sentence(names: Iterable[str], text: ProgramText) -> str:
    """Return the sentence about a name that is defined twice, or ""."""
    for name in names:
        places = find_places(name, text.source, at_least=2)
        lines = [p.line for p in places if p.where == "code" and not p.blocks]
        if len(lines) > 1 and not any(place.is_alias for place in places):
            return f"`{name}` is defined in {text.name_lines(lines)}: the last one counts."
    return ""


def wrong_kind_sentence(
    name: str, defined: DefinedAs, kind: str, text: ProgramText = NO_TEXT
) -> str:
    """Return the sentence about a name that is not of the required kind."""
    own_kind = _article(kind) if kind != "builtin_function_or_method" else "a built-in function"
    hint = second_definition_sentence([name], text)
    sentence = f"`{name}` should be a {defined}, but in your code it is {own_kind}."
    return f"{sentence} {hint}" if hint else sentence


def forbidden_use_sentence(line: str, uses: str, because: str) -> str:
    """Return the sentence about a forbidden use.

    Args:
        line: The line, such as "Line 2 of cell 3".
    """
    reason = f": {because.strip().rstrip('.')}" if because.strip() else ""
    return f"{line} {uses}, which this exercise does without{reason}."


def endless_test_sentence(seconds: float) -> str:
    """Return the sentence about a test that ran out of time."""
    return f"The test did not end within {seconds:g} s with what your code returned."
