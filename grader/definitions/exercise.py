"""The types of a definition: frozen dataclasses with the same fields as the YAML.

The docstring of a class and the `doc` of a field appear in the published format. Authors write all
fields except those of type `Location`, which the decoder sets to the place of the node, and those
whose metadata has `internal`, which the loader sets.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Literal, NewType, Self, TypeAlias, cast, get_args

from grader.definitions.course import Course
from grader.definitions.slug import PATTERN
from grader.errors import DefinitionError, Location, Problem

ExerciseId = NewType("ExerciseId", str)
TestId = NewType("TestId", str)

Kind: TypeAlias = Literal["write", "fix", "predict", "test"]
Difficulty: TypeAlias = Literal["beginner", "intermediate", "advanced"]
Disclosure: TypeAlias = Literal["nothing", "category", "inputs"]
Edition: TypeAlias = Literal["full", "student"]
DefinedAs: TypeAlias = Literal["function", "class", "value"]
Operator: TypeAlias = Literal[
    "==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*", "@", "/", "//", "%", "**", "&",
    "|", "^", "<<", ">>", "divmod",
]  # fmt: skip
NanPolicy: TypeAlias = Literal["equal", "ignored"]
DtypePolicy: TypeAlias = Literal["kind", "exact"]
Accepted: TypeAlias = Literal[
    "list", "tuple", "array", "float16", "float32", "complex64", "integer", "bool"
]
SuiteAim: TypeAlias = Literal["accepts", "rejects"]
Compared: TypeAlias = Literal["value", "text", "property", "figure", "nothing"]
FigurePart: TypeAlias = Literal[
    "lines", "points", "bars", "images", "texts", "styles", "title", "xlabel", "ylabel",
    "legend", "limits", "scales",
]  # fmt: skip
Property = NewType("Property", str)  # a key of `PROPERTIES`


SLUG: Final = {"pattern": f"^{PATTERN}$"}
FILLED: Final = {"pattern": r"\S"}
_NO_RULES: Final[Mapping[str, Any]] = {}
_COUNT: Final = {"minimum": 0}
_FROM_ONE: Final = {"minimum": 1}
_ABOVE_ZERO: Final = {"exclusiveMinimum": 0}
_DEFAULT_NAN_POLICY: NanPolicy = "equal"
_DEFAULT_DTYPE_POLICY: DtypePolicy = "kind"


def documented_field(
    text: str, rules: Mapping[str, Any] = _NO_RULES, *, unique: str | None = None, **options: Any
) -> Any:
    """Declare a field with its sentence in the documentation of the format.

    Args:
        rules: The rules for a number or a text, as keywords of JSON Schema.
        unique: The key that must differ between the items of a list, or "" to compare the items
            themselves.
    """
    return field(metadata={"doc": text, "rules": rules, "unique": unique}, **options)


@dataclass(frozen=True, slots=True)
class Literals:
    """Inputs written as plain YAML. A nested list of numbers becomes a NumPy array."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Seeded:
    """Inputs made by Python that the grader runs.

    The code can use `np` and a random generator `rng` with a fixed seed. It can also use the number
    `size`, which grows from draw to draw. `sizes(count)` returns that many different small numbers,
    for the lengths of axes. They grow with `size`. In every third draw one of them is 1, at another
    position each time. `sizes(count, least=2)` returns no number below 2.

    A test knows `np` from the start. It does not know `rng`, `size` and `sizes`. Give each length
    that a test uses a name here, as in `n, d = sizes(2)`.

    Every evaluation gets its own inputs. A list that one call or body changes stays the same for
    the others. Arrays are read-only, except in a `pytest` body. Copy an array to change it. Inputs
    that cannot be copied, such as functions and iterators, are made again. The code then runs
    again and must give the same inputs. The code must not change anything else, such as an
    attribute of a module. The change would remain for other submissions.

    The submission gets an array with the memory layout that it has here. After
    `np.asfortranarray(x)` or `x.T` it is in Fortran order; after `x[::2]` it has gaps. The
    submission can write to it, unless the code here calls `x.setflags(write=False)`.

    Inputs can be numbers, texts, dates and containers of the standard library. They can also be
    arrays and masked arrays. Arrays of objects or of long doubles are not possible.
    """

    code: str


@dataclass(frozen=True, slots=True)
class FromReference:
    """The expected value is the result of the reference for the same call."""


@dataclass(frozen=True, slots=True)
class FromSolution:
    """The expected value is the result of the exercise's solution, run in its own sandbox."""


@dataclass(frozen=True, slots=True)
class FromExpression:
    """The expected value is the value of a Python expression.

    The expression can use the given names and `np`. It can use the package of the reference:
    `reference`, or the name in `course.yaml`. The names under `defines` stand for the reference's
    counterparts. The expression never uses the submission. A list of numbers in it stays a list.
    Write `{expression: "[1, 2]"}` if the submission must return a list.
    """

    code: str


@dataclass(frozen=True, slots=True)
class LiteralValue:
    """The expected value is written out. A nested list of numbers stands for an array."""

    value: Any


Given: TypeAlias = Literals | Seeded
Expected: TypeAlias = FromReference | FromSolution | FromExpression | LiteralValue


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The deviation that a number may have: `|got - expected| <= atol + rtol * |expected|`."""

    atol: float = documented_field("Absolute part.", _COUNT, default=1e-9)
    rtol: float = documented_field("Relative part.", _COUNT, default=1e-7)


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit on one call, in multiples of what the reference (or the solution) uses for it."""

    where: Location
    time: float | None = documented_field(
        "The CPU time. The limit never falls below a minimum, so that noise does not decide. A "
        "page does not measure it: there, a program that is only slow passes. Some "
        "misconceptions differ from the solution only in time. Such a misconception should take "
        "a few times as long as the solution. It should also come last. A misconception that "
        "takes seconds leaves no time to try the others.",
        _ABOVE_ZERO,
        default=None,
    )
    memory: float | None = documented_field(
        "The peak of the memory that the call allocates.", _ABOVE_ZERO, default=None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _BaseTest:
    """The fields of every test."""

    where: Location
    id: TestId = documented_field(
        "The name of the test in every report. It is unique in the exercise.", SLUG
    )
    description: str = documented_field(
        "What the test shows, in a few words. Learners read it.", default=""
    )
    given: Given = documented_field(
        "The inputs: a mapping of literals, or Python.", default_factory=lambda: Literals({})
    )
    seeds: int = documented_field(
        "The number of draws of new inputs. Each draw must pass.",
        {"minimum": 1, "maximum": 1000},
        default=1,
    )
    partial: bool = documented_field(
        "`true` gives points in proportion to the draws that pass.", default=False
    )
    hidden: bool = documented_field("`true` hides the test from learners.", default=False)
    points: int = documented_field("The points for passing the test.", _COUNT, default=1)
    disclose: Disclosure = documented_field(
        "What the feedback on a hidden test may reveal.", default="category"
    )

    # Facts that follow from the definition alone, so that linting and showing an exercise need not
    # import the grader. `grading.checks` judges each kind.
    kind: ClassVar[str]
    kind_key: ClassVar[str]  # key that only tests of this kind have
    code_key: ClassVar[str]  # key of the Python code
    page_heading: ClassVar[str]  # heading of this code on a page
    expected_heading: ClassVar[str] = ""  # heading of the expected value on a page
    expected_key: ClassVar[Literal["expect", "stdout"]] = "expect"  # key of the expected value
    compared: ClassVar[Compared] = "nothing"  # what is compared with the expected value
    is_expression: ClassVar[bool] = False  # whether the code is an expression that calls names
    runs_in_submission: ClassVar[bool] = False  # whether the code runs in its namespace

    # Values of keys that a kind lacks. A kind that has such a key declares a field.
    expect = cast("Expected | None", None)
    stdout = cast("str | None", None)
    holds = cast("Property | None", None)
    of = cast("tuple[str, ...]", ())
    against = cast("str | None", None)
    tolerance = cast("Tolerance | None", None)
    nan = _DEFAULT_NAN_POLICY
    keep_inputs = False
    accept = cast("tuple[Accepted, ...]", ())
    dtype = _DEFAULT_DTYPE_POLICY
    budget = cast("Budget | None", None)

    @property
    def code(self) -> str:
        """The Python code: an expression or statements."""
        code: str = getattr(self, self.code_key)
        return code

    @property
    def python(self) -> tuple[tuple[Literal["eval", "exec"], tuple[str, ...]], ...]:
        """The mode and the keys of each piece of Python, apart from `given`."""
        first: Literal["eval", "exec"] = "eval" if self.is_expression else "exec"
        computes_expected = isinstance(self.expect, FromExpression)
        return (
            (first, (self.code_key,)),
            *((("eval", ("expect", "expression")),) if computes_expected else ()),
            *((("eval", ("against",)),) if self.against is not None else ()),
        )

    @property
    def needs_solution(self) -> bool:
        """True if the expected value comes from the exercise's solution."""
        return isinstance(self.expect, FromSolution)

    def with_code(self, code: str) -> Self:
        """Return the test with other Python code."""
        changes: dict[str, Any] = {self.code_key: code}
        return replace(self, **changes)

    def with_expected_from(self, _program: FromReference | FromSolution, /) -> Self:
        """Return the test with a program as the source of its expected value, if it has one."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTest(_BaseTest):
    """Call the submission and compare the result with the expected value.

    An instance of a subclass counts as an instance of its base. So a named tuple can replace a
    tuple, and a `Counter` a dict. Dataclasses are compared by their fields.
    """

    kind = "call"
    kind_key = code_key = "call"
    page_heading = "Call"
    expected_heading = "Must return"
    compared = "value"
    is_expression = True

    call: str = documented_field(
        "A Python expression that uses the given names and the names under `defines`. Its "
        "arguments are plain values and arrays. Use a `run` test for other arguments, such as a "
        "NumPy `Generator`."
    )
    expect: Expected = documented_field(
        "`reference`, `solution`, `{expression: ...}`, or the value itself. Write several arrays "
        "of different shapes as a tuple: `expression: (np.array(...), np.array(...))`. Write "
        "this on its own line below `expect:`, because a comma between braces ends it.",
        default_factory=FromReference,
    )
    tolerance: Tolerance | None = documented_field(
        "The allowed deviation of numbers. By default it follows the dtype.", default=None
    )
    nan: NanPolicy = documented_field(
        "With `equal`, NaN must stand exactly where the expected value has NaN. With `ignored`, "
        "any value may stand there.",
        default="equal",
    )
    accept: tuple[Accepted, ...] = documented_field(
        "Types and dtypes that are accepted besides the expected one. `list` and `tuple` accept "
        "these containers of numbers in place of an array. `array` accepts an array in place of "
        "a list or a tuple. `float16`, `float32` and `complex64` accept fewer digits. Numbers "
        "then compare as closely as that dtype allows. `integer` and `bool` accept these in "
        "place of other numbers.",
        default=(),
    )
    dtype: DtypePolicy = documented_field(
        "With `kind`, integers of any width are equal, and floats may not have fewer digits. "
        "With `exact`, each array and number must have exactly the expected dtype, such as "
        "`uint8`.",
        default="kind",
    )
    keep_inputs: bool = documented_field(
        "`true` fails a submission that changes an argument in place, though its result is "
        "right. `false` allows it.",
        default=True,
    )
    budget: Budget | None = documented_field(
        "The limits on the time and the memory of the call.", default=None
    )

    def with_expected_from(self, program: FromReference | FromSolution, /) -> Self:
        """Return the test with a program as the source of its expected value."""
        return replace(self, expect=program)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputTest(_BaseTest):
    """Run statements after the submission, in its namespace, and compare what they print."""

    kind = "output"
    kind_key = code_key = "run"
    page_heading = "Run"
    expected_heading = "Must print"
    expected_key = "stdout"
    compared = "text"
    runs_in_submission = True

    run: str = documented_field("Python statements that run in the submission's namespace.")
    stdout: str | None = documented_field(
        "The text that they must print. Numbers compare within the tolerance. The default is the "
        "text that the solution prints.",
        default=None,
    )
    tolerance: Tolerance | None = documented_field(
        "The allowed deviation of printed numbers. By default the last printed digit must match.",
        default=None,
    )

    @property
    def needs_solution(self) -> bool:
        """True if the expected output comes from the exercise's solution."""
        return self.stdout is None

    def with_expected_from(self, _program: FromReference | FromSolution, /) -> Self:
        """Return the test with the solution as the source of its expected output."""
        return replace(self, stdout=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyTest(_BaseTest):
    """Call the submission and check a property that every right answer has."""

    kind = "property"
    kind_key = "holds"
    code_key = "call"
    page_heading = "Call"
    compared = "property"
    is_expression = True

    holds: Property = documented_field("The property's name.")
    call: str = documented_field(
        "A Python expression that uses the given names and the names under `defines`."
    )
    of: tuple[str, ...] = documented_field(
        "The given names that the check reorders or changes. By default these are all arrays of "
        "floats. For gradient and idempotent it is only the first one.",
        unique="",
        default=(),
    )
    axis: int | None = documented_field(
        "The axis of the property. For rows_sum_to_one and shift_invariant the default is the "
        "last axis. Otherwise it is the axis before the last, which numbers the tokens.",
        default=None,
    )
    against: str | None = documented_field(
        "A second expression over the same names, without the reference. For gradient it is the "
        "scalar that is differentiated. For two_ways_agree it is another way to the same result.",
        default=None,
    )
    tolerance: Tolerance | None = documented_field(
        "The allowed deviation of numbers. By default it follows the dtype.", default=None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestTest(_BaseTest):
    """Run the body of a pytest test on the names that the submission defines.

    A body means the same as in plain pytest. The submission runs in another process, however. The
    body has its own inputs and may write to them.

    A call can change an argument: an array, a list or a dict, nested or not. The argument then
    changes in the body too, and the test fails. With `keep_inputs: false` it does not fail.
    Without this rule `assert np.allclose(f(x), 2 * x)` would hold if `f` filled `x` with zeros.

    A result or an attribute can be an argument, or share its memory. The same holds in the body:
    `f(a) is a`, `np.shares_memory(model.weights, w)`. The body can change an array or a container
    that the submission keeps: `model.weights[0] = 5`. The submission then sees the change.

    Proxies stand for the objects, functions and classes of the submission. The submission answers
    `len`, `iter`, `with`, `str`, attributes, methods, `isinstance`, `__doc__` and
    `inspect.signature`. It answers an operator, such as `==`, `<`, `in` or `+`, only if `defines`
    allows it. For this, name the operator in the `operators` of the class. Without `==`, two
    objects are equal only if they are the same object.

    If `defines` has no entry of `kind: class`, objects of the submission answer nothing. Results
    are then plain data. An object can only be passed on to another function of the submission.

    Functions, lambdas and iterators can be arguments. The submission calls them, and they run in
    the body's process. The body can use `pytest.raises`, `pytest.warns`, `pytest.approx` and
    `capsys.readouterr`. There are no other fixtures.

    Some things are not possible; `etude lint` reports them where it can. A body cannot ask
    `type(x) is A`. It cannot derive a class from one of the submission's. It cannot expect an
    exception class of the submission: expect the built-in class that it derives from. It cannot
    read source, code or pickles. Two arrays can overlap without one being part of the
    other. They do not share memory on the other side; each call exchanges their numbers.
    """

    kind = "pytest"
    kind_key = code_key = "pytest"
    page_heading = "Test"

    pytest: str = documented_field(
        "Python statements with `assert`. They can use `pytest`, `capsys` and `np`."
    )
    keep_inputs: bool = documented_field(
        "`true` fails a submission that changes an argument in place. `false` allows it. With "
        "`false`, compute the expected value from copies that no call gets.",
        default=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureTest(_BaseTest):
    """Run statements that draw with matplotlib, and compare the figure with the solution's.

    The statements run after the submission, in its namespace. The last statement can give the
    figure, its axes, or something drawn on them. Otherwise the test takes the current figure of
    `pyplot`. The test compares the data of the figure, but no pixels and no fonts. The order in
    which lines, points, bars and images are drawn does not matter. The course must name
    `matplotlib.pyplot` under `packages`.
    """

    kind = "figure"
    kind_key = code_key = "figure"
    page_heading = "Draw"
    compared = "figure"
    runs_in_submission = True

    figure: str = documented_field("Python statements that run in the submission's namespace.")
    compare: tuple[FigurePart, ...] = documented_field(
        "The parts to compare. The number of plots always counts. `lines`, `points`, `bars` and "
        "`images` are data. Points come from `scatter`. Bars come from `bar`, `barh` and `hist`. "
        "Images come from `imshow` and `pcolormesh`. `texts` are the texts of `text` and "
        "`annotate`, with their places. `styles` are the styles of lines and their markers. "
        "`limits` are the limits of the axes. `scales` are their scales. The others are `title`, "
        "`xlabel`, `ylabel` and `legend`.",
        unique="",
        default=("lines", "points", "bars", "images", "xlabel", "ylabel"),
    )
    tolerance: Tolerance | None = documented_field(
        "The allowed deviation of numbers. By default it follows the dtype.", default=None
    )

    @property
    def needs_solution(self) -> bool:
        """Always True, since the figure is compared with the solution's."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteTest(_BaseTest):
    """Run the pytest functions of a submission on right or wrong programs.

    Only an exercise of `kind: test` has this test. The suite imports the names under `defines`
    from the module `program`. With `accepts`, all its tests must pass on each right program. These
    are `program` and each of `also_right`. With `rejects`, at least one of its tests must fail on
    a wrong program. The wrong programs are the misconceptions and the mutants of `program`. The
    mutants in `equivalent` do not count. The feedback of a misconception says what the suite does
    not test.

    For each program, the suite and the program start in two new processes. The suite can only call
    the functions of the program. Arguments are passed as in a `pytest` test. The suite can use
    `pytest.raises`, `pytest.approx` and `pytest.mark.parametrize`. It cannot use fixtures or
    classes of tests. On a right program the suite must end the same each time. Otherwise it is
    refused.
    """

    kind = kind_key = code_key = "suite"
    page_heading = "Your suite"

    suite: SuiteAim = documented_field(
        "With `accepts`, each right program must pass. With `rejects`, wrong programs must fail."
    )
    at_least: float = documented_field(
        "For `rejects`: the share of wrong programs that must fail. Below this share the points "
        "are in proportion to it.",
        {"exclusiveMinimum": 0, "maximum": 1},
        default=1.0,
    )

    @property
    def code(self) -> str:
        """The requirement on the suite in words."""
        return f"{self.suite} {'right' if self.suite == 'accepts' else 'wrong'} programs"

    @property
    def python(self) -> tuple[tuple[Literal["eval", "exec"], tuple[str, ...]], ...]:
        """Empty, since the Python code is the submission's."""
        return ()


TestCase: TypeAlias = CallTest | OutputTest | PropertyTest | PytestTest | FigureTest | SuiteTest

KINDS_OF_TEST: Final[tuple[type[TestCase], ...]] = get_args(TestCase)
"""All kinds in order of the documentation. If a test has keys of several kinds, the last counts."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One name that a submission must define."""

    where: Location
    reference: str | None = documented_field(
        "The reference's counterpart, as `package.module:name`.", default=None
    )
    kind: DefinedAs = documented_field(
        "`function`, `class` or `value`. Where the `kind` of the exercise is `predict`, it is "
        "always `value`.",
        default="function",
    )
    choices: tuple[str, ...] = documented_field(
        "For a value: the answers to choose from. By default any answer is possible. Choices are "
        'texts. Write `"yes"` and `"True"` in quotes, because they are not texts otherwise.',
        unique="",
        default=(),
    )
    operators: tuple[Operator, ...] = documented_field(
        "For a class: the operators that tests use on its objects. Tests do not use any other "
        "operator, because an object could claim to equal everything. If you name one, functions "
        "of the submission can return such an object too. Where you expect a number, compare "
        "`float(norm(v))`.",
        default=(),
    )


@dataclass(frozen=True, slots=True)
class Forbid:
    """Constructs that a submission must not use. Its syntax tree is searched before it runs.

    The search follows aliases, as in `from numpy import einsum as e` and `la = np.linalg`. It
    cannot follow a module that is passed on in another way. So if something below a module is
    forbidden, the module itself has only three uses. The submission may import it, rename it in a
    plain assignment or write a dot after it. `f(np)` and `m=np` in a list of parameters are
    refused.

    A forbidden part of NumPy is forbidden under all its names, such as `numpy.matlib.einsum`. If
    arrays have a method of the same name, it is forbidden too: with `np.var` also `x.var()`.

    If anything is forbidden, so are the usual ways around it. These are `getattr`, `globals`,
    `locals`, `vars`, `eval`, `exec`, `compile`, `__import__`, `__dict__`, `__globals__`,
    `sys.modules` and similar names. Modules that look up or run code by its name are forbidden as
    well. Among them are `builtins`, `importlib`, `inspect`, `operator`, `pickle`, `pkgutil`,
    `pydoc` and `timeit`. Everything else is allowed. Tests may use everything.
    """

    where: Location
    imports: tuple[str, ...] = documented_field(
        "Modules. Everything below them is forbidden too.", unique="", default=()
    )
    names: tuple[str, ...] = documented_field(
        "Names and attributes, such as `sum` or `np.einsum`. A name without a dot is forbidden "
        "everywhere, also in `x.sum()`.",
        unique="",
        default=(),
    )
    calls: tuple[str, ...] = documented_field(
        "Functions and methods, such as `np.linalg.norm` or `dot`. Both `dot` and `np.dot` "
        "forbid `x.dot(y)` too. A use of the name without a call counts as well.",
        unique="",
        default=(),
    )
    loops: bool = documented_field(
        "`true` forbids `for`, `while`, comprehensions and functions that call themselves by "
        "name. It also forbids functions that contain a loop: `map`, `filter`, "
        "`functools.reduce` and `itertools`. In NumPy these are `np.vectorize`, `np.frompyfunc`, "
        "`np.apply_along_axis`, `np.apply_over_axes`, `np.fromiter`, `np.nditer`, "
        "`np.ndenumerate`, `np.ndindex` and `np.nested_iters`. Functions that call each other "
        "are not found.",
        default=False,
    )
    because: str = documented_field("The reason, in one sentence. Learners read it.", default="")

    @property
    def sentence(self) -> str:
        """The rule as learners read it, in Markdown."""
        words = [f"`{word}`" for word in (*self.imports, *self.names, *self.calls)]
        words += ["loops"] * self.loops
        because = f" {self.because.strip()}" if self.because else ""
        return f"Do without: {', '.join(words)}.{because}"


@dataclass(frozen=True, slots=True)
class Hint:
    """One hint. Each hint says more than the one before."""

    short_form: ClassVar[str] = "text"  # the field that a plain text stands for

    where: Location
    text: str = documented_field("Markdown.", FILLED)
    price: int = documented_field("The XP that it costs to see it.", _COUNT, default=0)


@dataclass(frozen=True, slots=True)
class Misconception:
    """A known wrong way to solve the exercise, and what to tell someone who took it."""

    where: Location
    id: str = documented_field("The name of the misconception in reports and statistics.", SLUG)
    code: str = documented_field(
        "A program that makes exactly this mistake. Best is the solution with one change. Two "
        "misconceptions in one submission are recognized too. A number that only this program "
        "has may differ in the submission."
    )
    feedback: str = documented_field("What helps the learner, in one or two sentences.", FILLED)
    hint: int | None = documented_field(
        "The number of the hint that helps, from 1.", _FROM_ONE, default=None
    )
    breakable: bool = documented_field(
        "`true` invites learners to break the program after a pass, as with `etude break`. Turn "
        "it off if no call with plain data shows the mistake.",
        default=True,
    )


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A generated mutant of the solution that no test can kill, because it means the same."""

    where: Location
    change: str = documented_field("The change, as `etude verify` prints it.", FILLED)
    reason: str = documented_field("Why it makes no difference.", FILLED)


@dataclass(frozen=True, slots=True)
class RightProgram:
    """A right program that is written in another way than the solution."""

    short_form: ClassVar[str] = "code"  # the field that a plain text stands for

    where: Location
    code: str = documented_field("The program.")
    when: str = documented_field(
        "Markdown: the other way and when to take it, in one or two sentences. With it, the "
        "program is shown after a pass, below the solution. Without it, no one sees the program.",
        default="",
    )


@dataclass(frozen=True, slots=True)
class ExerciseLimits:
    """The resources of a submission to this exercise, where the usual limits do not fit."""

    where: Location
    cpu_seconds: int | None = documented_field(
        "The CPU time for all tests together. After a time-out the next test has the full time "
        "again, at most twice.",
        _ABOVE_ZERO,
        default=None,
    )
    wall_seconds: float | None = documented_field(
        "The wall-clock time, with the same rule. It includes the time that tests need to "
        "compute values from the results.",
        _ABOVE_ZERO,
        default=None,
    )
    memory_mib: int | None = documented_field(
        "The address space. Python and NumPy take about 350 MiB of it.", _ABOVE_ZERO, default=None
    )
    output_kib: int | None = documented_field(
        "The largest printed output, a multiple of 4.",
        {**_ABOVE_ZERO, "multipleOf": 4},
        default=None,
    )


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise. The verdict and the page are made from it."""

    where: Location
    id: ExerciseId = documented_field(
        "Lower-case words joined by hyphens. The id is unique in the collection.", SLUG
    )
    title: str = documented_field("The heading of the page.", FILLED)
    difficulty: Difficulty = documented_field("beginner, intermediate or advanced.")
    xp: int = documented_field("Experience points for passing.", _COUNT)
    instructions: str = documented_field(
        "Markdown with $maths$: what to write, and why. An image, `![what it "
        "shows](picture.png)`, is a PNG or JPEG of at most 256 KiB. It must be in the course. "
        "Its path begins at the folder of this file.",
        FILLED,
    )
    defines: Mapping[str, Definition] = documented_field(
        "The names that a submission must define. Where `kind` is `test`, the names that its "
        "suite imports."
    )
    starter: str = documented_field("The code that a learner begins with.")
    tests: tuple[TestCase, ...] = documented_field(
        "Visible and hidden tests, in the order in which they run.", unique="id"
    )
    solution: str = documented_field(
        "A model answer, which passes every test. Only a student edition may lack it.", default=""
    )
    explanation: str = documented_field(
        "Markdown: why the solution is right. Only a student edition may lack it.",
        FILLED,
        default="",
    )
    kind: Kind = documented_field(
        "With `write` the learner writes the code. With `fix` the starter is broken. With "
        "`predict` the learner answers without running the code. The submission then only sets "
        "names to literals or to `np.array(...)` of a literal. `np.nan` and `np.inf` are allowed "
        "among them. Comments, a docstring and `import numpy as np` are allowed too. With `test` "
        "the submission is a suite of pytest functions. It tests a program that the learner does "
        "not see.",
        default="write",
    )
    program: str = documented_field(
        "Where `kind` is `test`: a right program, which no learner sees. `also_right`, "
        "`misconceptions` and `equivalent` then refer to it. `solution` is a suite.",
        default="",
    )
    requires: tuple[ExerciseId, ...] = documented_field(
        "The exercises to pass before this one.", unique="", default=()
    )
    concepts: tuple[str, ...] = documented_field(
        "The ideas that the exercise trains.", unique="", default=()
    )
    minutes: int | None = documented_field(
        "The estimated time. Pages show it. `etude next --course NAME` uses it to choose about "
        "ten minutes a day. The default is 5 for `predict`. Otherwise it is 8, 15 or 25 by "
        "difficulty.",
        _FROM_ONE,
        default=None,
    )
    hints: tuple[Hint, ...] = documented_field(
        "Markdown: each hint is a text or `{text, price}`. They lead from a nudge to nearly the "
        "answer.",
        default=(),
    )
    forbid: Forbid | None = documented_field(
        "The constructs that a submission must not use.", default=None
    )
    limits: ExerciseLimits | None = documented_field(
        "Limits in place of the usual ones, up to the site's maximum.", default=None
    )
    misconceptions: tuple[Misconception, ...] = documented_field(
        "Known mistakes, each with a program that makes it.", unique="id", default=()
    )
    equivalent: tuple[Equivalent, ...] = documented_field(
        "Mutants of the solution that mean the same as it.", unique="change", default=()
    )
    also_right: tuple[RightProgram, ...] = documented_field(
        "Other right programs, each a text or `{code, when}`. They are written in another way "
        "than the solution. `etude verify` checks that each passes.",
        default=(),
    )
    small_examples: bool = documented_field(
        "`true` adds a small input to the feedback if a submission fails only hidden tests. The "
        "submission is wrong on it. The input is drawn for the submission and is in no test.",
        default=True,
    )
    edition: Edition = documented_field(
        "`full`, or `student`: without anything hidden. A student edition is always made from "
        "the full one, never by hand.",
        default="full",
    )
    files: tuple[str, ...] = documented_field(
        "Data for a submission, such as `data/iris.csv`: paths below the course's folder. Each "
        "file has at most 8 MiB. The submission finds them read-only in its working folder, by "
        "name without folders. `given`, expected expressions, test bodies and the reference open "
        "them by the same names. They can open the hidden files too.",
        default=(),
    )
    hidden_files: tuple[str, ...] = documented_field(
        "Data for hidden tests only. The submission finds them once hidden tests run. They are "
        "in no handout.",
        default=(),
    )
    files_to_submit: tuple[str, ...] = documented_field(
        "The files of a submission of several modules, such as `[attention.py, masks.py]`. The "
        "names are lower-case words joined by underscores. The first file is the main one, which "
        "defines the required names. It imports the others by their names. Starter and solution "
        "contain all files. Each file begins after a line `# etude file: attention.py`. A "
        "misconception or another right program begins with such a line too. It may omit files "
        "that are the same as in the solution.",
        unique="",
        default=(),
    )
    hidden_elsewhere: int = documented_field(
        "In a student edition: the number of tests that it lacks. It lacks hidden tests and "
        "tests that need the solution.",
        _COUNT,
        default=0,
    )
    course: Course | None = field(default=None, metadata={"internal": True})
    # The contents of the data files, by name without folders.
    data: Mapping[str, bytes] = field(default_factory=dict, metadata={"internal": True}, repr=False)
    hidden_data: Mapping[str, bytes] = field(
        default_factory=dict, metadata={"internal": True}, repr=False
    )
    # Problems for packages that its file or its reference imports but that are not installed.
    package_problems: tuple[Problem, ...] = field(default=(), metadata={"internal": True})
    # Changes the draws of hidden tests, so that a practice page never has those of the grader.
    draw_salt: str = field(default="", metadata={"internal": True})
    # SHA-256 of the file, and of the parts of the course that a verdict depends on.
    digest: str = field(default="", metadata={"internal": True})

    @property
    def is_prediction(self) -> bool:
        """True if a submission predicts values and computes none."""
        return self.kind == "predict"

    @property
    def asks_for_suite(self) -> bool:
        """True if a submission is a suite of tests."""
        return self.kind == "test"

    @property
    def breakable_misconceptions(self) -> tuple[Misconception, ...]:
        """The misconceptions whose programs learners may try to break."""
        if self.kind not in ("write", "fix"):
            return ()
        return tuple(
            misconception for misconception in self.misconceptions if misconception.breakable
        )

    @property
    def packages(self) -> tuple[str, ...]:
        """The modules that a submission may import besides NumPy."""
        return self.course.packages if self.course is not None else ()

    def refuse_missing_packages(self, source: str = "") -> None:
        """Raise `DefinitionError` if the exercise or a submission needs a missing package."""
        problems = [*self.package_problems]
        if self.course:
            problems += self.course.find_package_problems(source)
        if problems:
            raise DefinitionError([*dict.fromkeys(problems)])

    @property
    def max_points(self) -> int:
        """The sum of the points of all tests."""
        return sum(test.points for test in self.tests)

    @property
    def file_name(self) -> str:
        """The file name of a submission to this exercise: `<id>.py`."""
        return f"{self.id}.py"
