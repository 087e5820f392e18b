"""Values on a site's pages that authors' code computes in a confined process."""

import base64
import binascii
import functools
import json
import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from grader.browser import page
from grader.browser.shipping import make_break_data, make_grading_data
from grader.definitions.public_exercise import DescribedValue, PublicTest
from grader.errors import GraderFault
from grader.grading.expected.public_form import public_exercise
from grader.sandbox.confined_process import ConfinedProcess
from grader.sandbox.dataclass_format import DataclassFormat
from grader.sandbox.process import open_sandbox
from sitegen.from_collection.own_gpt_record import record_gpt
from sitegen.own_gpt_page import GptPage

if TYPE_CHECKING:
    from grader.definitions.exercise import Exercise
    from grader.sandbox.process import Sandbox


_TESTS: Final = DataclassFormat[tuple[PublicTest, ...]](tuple, (PublicTest, DescribedValue))
_NONSENSE: Final = "the process that runs authors' code sent nonsense"


class AuthorProcess:
    """A confined process that runs authors' code.

    Args:
        packages: The modules other than NumPy that solutions may import.
    """

    def __init__(self, packages: Iterable[str] = ()) -> None:
        start = functools.partial(open_sandbox, packages=packages)
        self._process = ConfinedProcess(_answer, start)

    def tests(self, exercise: "Exercise") -> bytes:
        """Return the visible tests of an exercise, for `read_tests`.

        Raises:
            DefinitionError, GraderFault: See `public_exercise`.
        """
        tests = self._ask(_make_tests, exercise)
        read_tests(tests)
        return tests

    def grading_data(
        self, exercise: "Exercise", packages: Sequence[str], *, for_practice: bool
    ) -> bytes:
        """Return the data with which a page grades an exercise, as base 64 text.

        Args:
            packages: The packages other than NumPy that the page loads.
            for_practice: True to run the hidden tests, too.

        Raises:
            DefinitionError, GraderFault: See `make_grading_data`.
        """
        return self._ask_for_text(_make_grading_data, exercise, packages, for_practice)

    def break_data(self, exercise: "Exercise") -> bytes:
        """Return the data with which a page judges calls that break programs, as `grading_data`."""
        return self._ask_for_text(_make_break_data, exercise)

    def _ask_for_text(self, answer: Callable[..., bytes], *arguments: object) -> bytes:
        text = self._ask(answer, *arguments)
        try:
            base64.b64decode(text, validate=True)
        except binascii.Error as error:
            raise GraderFault(_NONSENSE) from error
        return text

    def grade(self, grading_data: str, source: str) -> bytes:
        """Return the JSON of the verdict that a page with this data would give."""
        return self._ask_for_json(_grade, grading_data, source)

    def record(self, model: str, gpt_page: GptPage) -> bytes:
        """Return as JSON the text that a small GPT writes, letter by letter; see `record_gpt`.

        Raises:
            GraderFault: The model failed to write.
        """
        return self._ask_for_json(_record, model, gpt_page)

    def _ask_for_json(self, answer: Callable[..., bytes], *arguments: object) -> bytes:
        text = self._ask(answer, *arguments)
        try:
            return json.dumps(json.loads(text), separators=(",", ":")).encode()
        except ValueError as error:
            raise GraderFault(_NONSENSE) from error

    def _ask(self, answer: Callable[..., bytes], *arguments: object) -> bytes:
        return self._process.ask(pickle.dumps((answer, arguments)))

    def close(self) -> None:
        """End the process."""
        self._process.close()


def read_tests(data: bytes) -> Sequence[PublicTest]:
    """Decode visible tests with their inputs and expected values.

    Raises:
        GraderFault: The bytes are not encoded tests.
    """
    try:
        return _TESTS.from_bytes(data)
    except ValueError as error:
        raise GraderFault(_NONSENSE) from error


def _answer(request: bytes, sandbox: "Sandbox") -> bytes:
    """Call one of the functions below in the confined process."""
    answer, arguments = pickle.loads(request)  # noqa: S301  from our parent
    content: bytes = answer(sandbox, *arguments)
    return content


def _make_tests(sandbox: "Sandbox", exercise: "Exercise") -> bytes:
    return _TESTS.to_bytes(tuple(public_exercise(exercise, sandbox).tests))


def _make_grading_data(
    sandbox: "Sandbox", exercise: "Exercise", packages: Sequence[str], for_practice: bool
) -> bytes:
    text = make_grading_data(exercise, sandbox, for_practice=for_practice, packages=packages)
    return text.encode()


def _make_break_data(sandbox: "Sandbox", exercise: "Exercise") -> bytes:
    return make_break_data(exercise, sandbox).encode()


def _grade(_: "Sandbox", grading_data: str, source: str) -> bytes:
    page.open_exercise(grading_data)
    return page.check(source).encode()


def _record(_: "Sandbox", model: str, gpt_page: GptPage) -> bytes:
    return record_gpt(model, gpt_page.parts, **asdict(gpt_page.settings)).encode()
