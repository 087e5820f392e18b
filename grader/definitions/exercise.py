"""The types of a definition: frozen dataclasses with the same fields as the YAML.

The docstring of a class and the `doc` of a field appear in the published format. Authors write all
fields except those of type `Location`, which the decoder sets to the place of the node, and those
whose metadata has `internal`, which the loader sets.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Literal, NewType, Self, TypeAlias, cast, get_args

from grader.definitions.imports import find_imports
from grader.errors import DefinitionError, Location, Problem

ExerciseId = NewType("ExerciseId", str)
TestId = NewType("TestId", str)

Kind: TypeAlias = Literal["write", "fix", "predict", "test"]
CertificationMode: TypeAlias = Literal["certified", "practice"]
Difficulty: TypeAlias = Literal["beginner", "intermediate", "advanced"]
Disclosure: TypeAlias = Literal["nothing", "category", "inputs"]
Edition: TypeAlias = Literal["full", "student"]
DefinedAs: TypeAlias = Literal["function", "class", "value"]
Operator: TypeAlias = Literal[
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "in",
    "+",
    "-",
    "*",
    "@",
    "/",
    "//",
    "%",
    "**",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    "divmod",
]
NanPolicy: TypeAlias = Literal["equal", "ignored"]
DtypePolicy: TypeAlias = Literal["kind", "exact"]
Accepted: TypeAlias = Literal[
    "list", "tuple", "array", "float16", "float32", "complex64", "integer", "bool"
]
SuiteAim: TypeAlias = Literal["accepts", "rejects"]
Compared: TypeAlias = Literal["value", "text", "property", "figure", "nothing"]
FigurePart: TypeAlias = Literal[
    "lines",
    "points",
    "bars",
    "images",
    "texts",
    "styles",
    "title",
    "xlabel",
    "ylabel",
    "legend",
    "limits",
    "scales",
]
Property = NewType("Property", str)  # a key of `PROPERTIES`


SLUG: Final = {"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}
FILLED: Final = {"pattern": r"\S"}
_NO_RULES: Final[Mapping[str, Any]] = {}
_COUNT: Final = {"minimum": 0}
_FROM_ONE: Final = {"minimum": 1}
_ABOVE_ZERO: Final = {"exclusiveMinimum": 0}
_DEFAULT_NAN_POLICY: NanPolicy = "equal"
_DEFAULT_DTYPE_POLICY: DtypePolicy = "kind"


def _doc(
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
    """Inputs written as plain YAML; a nested list of numbers is the array NumPy makes of it."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Seeded:
    """Inputs made by Python that the grader runs.

    There are `np`, a seeded `rng`, `size`, which grows from draw to draw, and `sizes(count)`: that
    many different small numbers for axes, growing with `size`. In each third draw one of them is 1,
    each in its turn; `sizes(count, least=2)` gives none below 2. All but `np` are for `given`
    alone; what a call needs of them gets a name here, as in `n, d = sizes(2)`.

    Every evaluation gets inputs of its own: what a call or a body does to a list, no other one
    sees. Arrays cannot be written to, but in a `pytest` body; change a copy. Inputs that cannot be
    copied, as functions and iterators, are made again: the text runs again and must give the same.
    Change nothing outside it, as an attribute of a module: that would stay for other submissions.

    A submission gets an array writable, and in the memory layout that it has here: in Fortran order
    after `np.asfortranarray(x)` or `x.T`, with gaps after `x[::2]`. After `x.setflags(write=False)`
    it is read-only there too. Numbers, texts, dates, containers of the standard library and arrays
    of them, also masked ones, can be sent. Arrays of objects and of long doubles cannot.
    """

    code: str


@dataclass(frozen=True, slots=True)
class FromReference:
    """The expected value is what the reference gives for the same call."""


@dataclass(frozen=True, slots=True)
class FromSolution:
    """The expected value is what the exercise's own solution gives, in a sandbox of its own."""


@dataclass(frozen=True, slots=True)
class FromExpression:
    """The expected value is that of a Python expression.

    It may use the given names, `np`, the package of the reference (`reference`, or as `course.yaml`
    names it) and the reference's counterparts of what is defined; never the submission. A list of
    numbers in it stays a list: write `{expression: "[1, 2]"}` where a list has to be returned.
    """

    code: str


@dataclass(frozen=True, slots=True)
class LiteralValue:
    """The expected value is written out; a nested list of numbers stands for an array."""

    value: Any


Given: TypeAlias = Literals | Seeded
Expected: TypeAlias = FromReference | FromSolution | FromExpression | LiteralValue


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The deviation that a number may have: `|got - expected| <= atol + rtol * |expected|`."""

    atol: float = _doc("Absolute part.", _COUNT, default=1e-9)
    rtol: float = _doc("Relative part.", _COUNT, default=1e-7)


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit on one call, in multiples of what the reference (or the solution) uses for it."""

    where: Location
    time: float | None = _doc(
        "CPU time; never less than a floor that keeps noise from deciding. A page does not measure "
        "it: there, a program that is only slow passes. A misconception that only time tells from "
        "the solution should take a few times as long, and come last: one that takes seconds "
        "leaves no time to try the others.",
        _ABOVE_ZERO,
        default=None,
    )
    memory: float | None = _doc(
        "Peak of the memory that the call allocates.", _ABOVE_ZERO, default=None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _BaseTest:
    """The fields of every test."""

    where: Location
    id: TestId = _doc("Names the test in every report; unique in the exercise.", SLUG)
    description: str = _doc("What the test shows, in a few words a learner reads.", default="")
    given: Given = _doc(
        "The inputs: a mapping of literals, or Python.", default_factory=lambda: Literals({})
    )
    seeds: int = _doc(
        "How often to draw new inputs; each draw must pass.",
        {"minimum": 1, "maximum": 1000},
        default=1,
    )
    partial: bool = _doc("Give points in proportion to the draws that pass.", default=False)
    hidden: bool = _doc("A hidden test is never shown to learners.", default=False)
    points: int = _doc("What the test is worth.", _COUNT, default=1)
    disclose: Disclosure = _doc("What feedback on a hidden test may tell.", default="category")

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

    def with_expected_from(self, _program: FromReference | FromSolution, /) -> Self:
        """Return the test with a program as the source of its expected value, if it has one."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTest(_BaseTest):
    """Call the submission and compare what it returns.

    An instance of a subclass is as good as one of its base: a named tuple where a tuple is
    expected, a `Counter` where a dict is. Dataclasses are compared by their fields.
    """

    kind = "call"
    kind_key = code_key = "call"
    page_heading = "Call"
    expected_heading = "Must return"
    compared = "value"
    is_expression = True

    call: str = _doc(
        "A Python expression over the given names and what is defined. Its arguments are plain "
        "values and arrays: a `run` test makes anything else, such as a `Generator` of NumPy's."
    )
    expect: Expected = _doc(
        "`reference`, `solution`, `{expression: ...}`, or the value itself. Several arrays of "
        "different shapes are a tuple, `expression: (np.array(...), np.array(...))`, which goes on "
        "a line of its own below `expect:`, for between braces a comma ends it.",
        default_factory=FromReference,
    )
    tolerance: Tolerance | None = _doc(
        "How close numbers must be; follows the dtype when left out.", default=None
    )
    nan: NanPolicy = _doc(
        "`equal`: NaN belongs where the expected value has it and nowhere else; `ignored`: where "
        "the expected value is NaN, anything may stand.",
        default="equal",
    )
    accept: tuple[Accepted, ...] = _doc(
        "Types and dtypes that are as good as the expected one: `list` and `tuple` of numbers for "
        "an array, `array` for a list or a tuple, `float16`, `float32` and `complex64` for more "
        "digits (numbers then compare as closely as that dtype allows), `integer` and `bool` for "
        "other numbers.",
        default=(),
    )
    dtype: DtypePolicy = _doc(
        "`kind`: integers of any width are alike, and floats may not have fewer digits; `exact`: "
        "each array and number has the very dtype that is expected, such as `uint8`.",
        default="kind",
    )
    keep_inputs: bool = _doc(
        "Fail a submission that gives the right result and changes an argument in place; `false` "
        "allows it.",
        default=True,
    )
    budget: Budget | None = _doc("What the call may use at most.", default=None)

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

    run: str = _doc("Python statements that run in the submission's namespace.")
    stdout: str | None = _doc(
        "What they must print; numbers compare within the tolerance. Left out: what the solution "
        "prints.",
        default=None,
    )
    tolerance: Tolerance | None = _doc(
        "How close printed numbers must be; to the last printed digit when left out.", default=None
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

    holds: Property = _doc("The property's name.")
    call: str = _doc("A Python expression over the given names and what is defined.")
    of: tuple[str, ...] = _doc(
        "The given names that the property moves or changes; when left out, every array of floats, "
        "or for gradient and idempotent the first one.",
        unique="",
        default=(),
    )
    axis: int | None = _doc(
        "The axis that the property is about; when left out, the last one for "
        "rows_sum_to_one and shift_invariant, else the one before it, which numbers the tokens.",
        default=None,
    )
    against: str | None = _doc(
        "A second expression over the same names, without the reference: for gradient the scalar "
        "that is differentiated, for "
        "two_ways_agree another way to the same result.",
        default=None,
    )
    tolerance: Tolerance | None = _doc(
        "How close numbers must be; follows the dtype when left out.", default=None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestTest(_BaseTest):
    """Run the body of a pytest test; the names that are defined stand for the submission's.

    A body means what it means in plain pytest, though the submission runs in a process of its own.
    Inputs are the body's own, and may be written to. What a call changes in an argument (an array,
    a list, a dict, nested or not) is changed in the body too, and fails the test unless
    `keep_inputs` is `false`: `assert np.allclose(f(x), 2 * x)` would hold if `f` made all of it
    zeros. A result or an attribute that is an argument, or that shares its memory, does so in the
    body: `f(a) is a`, `np.shares_memory(model.weights, w)`. What the body changes in an array or a
    container that the submission keeps, the submission sees: `model.weights[0] = 5`.

    Objects, functions and classes of the submission are stand-ins. `len`, `iter`, `with`, `str`,
    attributes, methods, `isinstance`, `__doc__` and `inspect.signature` are asked of the
    submission. An operator, such as `==`, `<`, `in` or `+`, is asked only if `operators` of the
    class in `defines` names it; otherwise two objects are equal only if they are the same. Where no
    definition is of `kind: class`, nothing is asked of an object: a result is plain data there, and
    an object can only be passed on to another function of the submission. Functions, lambdas and
    iterators may be arguments: the submission calls them where the body runs. `pytest.raises`,
    `pytest.warns`, `pytest.approx` and `capsys.readouterr` are there; no other fixture is.

    Not to be had, and refused by `etude lint` where it can be seen: `type(x) is A`; a class that
    derives from the submission's, or an exception class of its own; source, code and pickles. Two
    arrays that overlap, neither of which is the whole, do not share memory on the other side. Their
    numbers are exchanged with each call.
    """

    kind = "pytest"
    kind_key = code_key = "pytest"
    page_heading = "Test"

    pytest: str = _doc("Python statements with `assert`; `pytest`, `capsys` and `np` are there.")
    keep_inputs: bool = _doc(
        "Fail a submission that changes an argument in place; `false` allows it. Then compute what "
        "is expected from copies that no call is given.",
        default=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureTest(_BaseTest):
    """Run statements that draw with matplotlib, and compare the figure with the solution's.

    The statements run after the submission, in its namespace. The figure is what the last of them
    gives (a figure, axes, or what is drawn on them), or else the current one of `pyplot`. Its data
    are compared: no pixels, no fonts. Lines, points, bars and images may be drawn in any order. The
    course must name `matplotlib.pyplot` under `packages`.
    """

    kind = "figure"
    kind_key = code_key = "figure"
    page_heading = "Draw"
    compared = "figure"
    runs_in_submission = True

    figure: str = _doc("Python statements that run in the submission's namespace.")
    compare: tuple[FigurePart, ...] = _doc(
        "What counts, besides the number of plots. `lines`, `points` (`scatter`), `bars` (`bar`, "
        "`barh`, `hist`) and `images` (`imshow`, `pcolormesh`) are data. `texts` are those of "
        "`text` and `annotate` with their places. `styles` are those of lines and their markers. "
        "Then there are `title`, `xlabel`, `ylabel`, `legend`, `limits` of the axes and `scales`.",
        unique="",
        default=("lines", "points", "bars", "images", "xlabel", "ylabel"),
    )
    tolerance: Tolerance | None = _doc(
        "How close numbers must be; follows the dtype when left out.", default=None
    )

    @property
    def needs_solution(self) -> bool:
        """Always True, since the figure is compared with the solution's."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteTest(_BaseTest):
    """Run the pytest functions of a submission on programs that do what its exercise describes.

    For an exercise of `kind: test` alone. The suite imports what `defines` names from the module
    `program`. `accepts`: all its tests pass on `program` and on each of `also_right`. `rejects`: on
    a wrong program some test fails. The wrong programs are the misconceptions, whose feedback says
    what a suite leaves open, and the mutants of `program`, apart from those in `equivalent`.

    For each program the suite starts in a new process, the program in another one: all that the
    suite has of it is a function to call. Arguments cross as in a `pytest` test. Of pytest there
    are `raises`, `approx` and `mark.parametrize`; no fixtures, and no classes of tests. A
    suite that does not end the same each time on a right program is refused.
    """

    kind = kind_key = code_key = "suite"
    page_heading = "Your suite"

    suite: SuiteAim = _doc("`accepts`: each right program passes; `rejects`: wrong ones do not.")
    at_least: float = _doc(
        "For `rejects`: the share of wrong programs that is enough. Below it the points are in "
        "proportion to the share.",
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
    reference: str | None = _doc(
        "The reference's counterpart, as `package.module:name`.", default=None
    )
    kind: DefinedAs = _doc(
        "A function, a class, or a value (always that where `kind` is predict).",
        default="function",
    )
    choices: tuple[str, ...] = _doc(
        'For a value: the answers to choose from; any when left out. They are texts: `"yes"` and '
        '`"True"` in quotes, for YAML reads booleans without them.',
        unique="",
        default=(),
    )
    operators: tuple[Operator, ...] = _doc(
        "For a class: the operators that tests use on its objects. Without it they are not asked: "
        "what a submission returns could say that it equals everything. With it, its functions can "
        "return such an object too: where a number is expected, compare `float(norm(v))`.",
        default=(),
    )


@dataclass(frozen=True, slots=True)
class Forbid:
    """Constructs that a submission must do without; its syntax tree is searched before it runs.

    Aliases are followed, as in `from numpy import einsum as e` and `la = np.linalg`. Where anything
    below a module is forbidden, the module itself may only be imported, renamed in a plain
    assignment or followed by a dot, since what becomes of it elsewhere is not seen: `f(np)` and
    `m=np` in a list of parameters are refused. Something in NumPy is forbidden under all names that
    NumPy has for it, as `numpy.matlib.einsum`, and as a method where arrays have one of its name:
    `np.var` is `x.var()` too.

    Where anything is forbidden, so are the usual ways around it: `getattr`, `globals`, `locals`,
    `vars`, `eval`, `exec`, `compile`, `__import__`, `__dict__`, `__globals__`, `sys.modules` and
    their like, and the modules `builtins`, `importlib`, `inspect`, `operator`, `pickle`, `pkgutil`,
    `pydoc`, `timeit` and others that look up or run code by its name. Everything else is allowed,
    and so is all that tests do.
    """

    where: Location
    imports: tuple[str, ...] = _doc("Modules, with all below them.", unique="", default=())
    names: tuple[str, ...] = _doc(
        "Names and attributes, as `sum` or `np.einsum`; one without a dot is meant wherever it "
        "stands, as in `x.sum()`.",
        unique="",
        default=(),
    )
    calls: tuple[str, ...] = _doc(
        "Functions and methods, as `np.linalg.norm` or `dot`, which is `x.dot(y)` too, as `np.dot` "
        "is; to name one "
        "without a call counts.",
        unique="",
        default=(),
    )
    loops: bool = _doc(
        "for, while and comprehensions; `map`, `filter`, `functools.reduce`, `itertools`, "
        "`np.vectorize`, `np.frompyfunc`, `np.apply_along_axis`, `np.apply_over_axes`, "
        "`np.fromiter`, `np.nditer`, `np.ndenumerate` and `np.ndindex`, which loop unseen; and a "
        "function that calls itself by its name. Functions that call each other are not found.",
        default=False,
    )
    because: str = _doc("Why, in a sentence that the learner reads.", default="")

    @property
    def sentence(self) -> str:
        """The rule as learners read it, in Markdown."""
        words = [f"`{word}`" for word in (*self.imports, *self.names, *self.calls)]
        words += ["loops"] * self.loops
        because = f" {self.because.strip()}" if self.because else ""
        return f"Do without: {', '.join(words)}.{because}"


@dataclass(frozen=True, slots=True)
class Hint:
    """One hint; the next says more."""

    short_form: ClassVar[str] = "text"  # the field that a plain text stands for

    where: Location
    text: str = _doc("Markdown.", FILLED)
    price: int = _doc("The XP that it costs to see it.", _COUNT, default=0)


@dataclass(frozen=True, slots=True)
class Misconception:
    """A known wrong way to solve the exercise, and what to tell someone who took it."""

    where: Location
    id: str = _doc("Names the misconception in reports and statistics.", SLUG)
    code: str = _doc(
        "A program that makes exactly this mistake: best the solution with one change. Two of them "
        "at once are recognised, too. A number that the solution lacks may be another one."
    )
    feedback: str = _doc("What unlocks it, in one or two sentences.", FILLED)
    hint: int | None = _doc("The number of the hint that helps, from 1.", _FROM_ONE, default=None)
    breakable: bool = _doc(
        "Whether learners are offered to break the program after a pass, as by `etude break`. "
        "Turn it off where no call of plain data shows the mistake.",
        default=True,
    )


@dataclass(frozen=True, slots=True)
class Equivalent:
    """A generated mutant of the solution that no test can kill, since it means the same."""

    where: Location
    change: str = _doc("The change, as `etude verify` prints it.", FILLED)
    reason: str = _doc("Why it makes no difference.", FILLED)


@dataclass(frozen=True, slots=True)
class RightProgram:
    """A right program that is written in another way than the solution."""

    short_form: ClassVar[str] = "code"  # the field that a plain text stands for

    where: Location
    code: str = _doc("The program.")
    when: str = _doc(
        "Markdown: in a sentence or two, the other way and when to take it. With it the program is "
        "shown after a pass, below the solution; without it no one sees the program.",
        default="",
    )


@dataclass(frozen=True, slots=True)
class ExerciseLimits:
    """The resources of a submission to this exercise, where the usual limits do not fit."""

    where: Location
    cpu_seconds: int | None = _doc(
        "CPU time for all tests together. After a time-out the next test begins with all of it, "
        "twice at most.",
        _ABOVE_ZERO,
        default=None,
    )
    wall_seconds: float | None = _doc(
        "Wall clock, likewise, with what the tests compute from the results.",
        _ABOVE_ZERO,
        default=None,
    )
    memory_mib: int | None = _doc(
        "Address space; Python and NumPy take some 350 MiB of it.", _ABOVE_ZERO, default=None
    )
    output_kib: int | None = _doc(
        "What may be printed; a multiple of 4.", {**_ABOVE_ZERO, "multipleOf": 4}, default=None
    )


@dataclass(frozen=True, slots=True)
class Course:
    """A loaded `course.yaml`: the facts that the exercises of a course share."""

    where: Location
    title: str
    grading: CertificationMode = "certified"
    reference: str = ""  # name of the reference's package
    sources: Mapping[str, str] = field(default_factory=dict)  # source of each module, by path
    packages: tuple[str, ...] = ()  # installed modules that submissions may import
    missing: Mapping[str, Problem] = field(default_factory=dict)  # problem of each missing module
    digest: str = ""  # SHA-256 of reference and packages; empty if the course has neither

    @property
    def modules(self) -> Mapping[str, str]:
        """The path of each module of the reference, by the module's name."""
        names = (path.removesuffix(".py").removesuffix("/__init__") for path in self.sources)
        return {
            name.replace("/", "."): path for name, path in zip(names, self.sources, strict=True)
        }

    def missing_in(self, code: str) -> tuple[Problem, ...]:
        """Return the problems for packages that code imports but that are not installed."""
        names = find_imports(code, self.missing) if self.missing else ()
        return tuple(self.missing[m] for m in self.missing if m.partition(".")[0] in names)

    def refuse_missing(self, code: str) -> None:
        """Raise `DefinitionError` if code imports a package that is not installed."""
        if problems := self.missing_in(code):
            raise DefinitionError(problems)


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise: from it come the verdict and the page."""

    where: Location
    id: ExerciseId = _doc("Lower-case words joined by hyphens; unique in the collection.", SLUG)
    title: str = _doc("The heading of the page.", FILLED)
    difficulty: Difficulty = _doc("beginner, intermediate or advanced.")
    xp: int = _doc("Experience points for passing.", _COUNT)
    instructions: str = _doc(
        "Markdown with $maths$: what to write, and why. An image, `![what it shows](picture.png)`, "
        "is a PNG or JPEG of at most 256 KiB in the course; its path begins at this file's folder.",
        FILLED,
    )
    defines: Mapping[str, Definition] = _doc(
        "What a submission must define; where `kind` is test, what its suite imports."
    )
    starter: str = _doc("The code a learner begins with.")
    tests: tuple[TestCase, ...] = _doc(
        "Visible and hidden tests, in the order they run.", unique="id"
    )
    solution: str = _doc(
        "A model answer; it passes every test. Only a student edition may lack it.", default=""
    )
    explanation: str = _doc(
        "Markdown: why the solution is right. Only a student edition may lack it.",
        FILLED,
        default="",
    )
    kind: Kind = _doc(
        "write; fix (the starter is broken); predict (answered without running: besides comments, "
        "a docstring and `import numpy as np` a submission only sets names to literals, "
        "`np.array(...)` of one, `np.nan` and `np.inf` among them); test (the submission is a "
        "suite of pytest functions for a program that the learner does not see).",
        default="write",
    )
    program: str = _doc(
        "Where `kind` is test: a right program, which no learner sees. `also_right`, "
        "`misconceptions` and `equivalent` are about it; `solution` is a suite.",
        default="",
    )
    requires: tuple[ExerciseId, ...] = _doc(
        "Exercises to have passed before.", unique="", default=()
    )
    concepts: tuple[str, ...] = _doc("Ideas that the exercise trains.", unique="", default=())
    minutes: int | None = _doc(
        "How long it takes, by estimate: pages say so, and `etude next --course NAME` draws "
        "about ten minutes a day. When left out, 5 to predict, else 8, 15 or 25 by difficulty.",
        _FROM_ONE,
        default=None,
    )
    hints: tuple[Hint, ...] = _doc(
        "Markdown, each a text or `{text, price}`; from a nudge to nearly the answer.", default=()
    )
    forbid: Forbid | None = _doc("What a submission must do without.", default=None)
    limits: ExerciseLimits | None = _doc(
        "Other limits than the usual, up to the site's cap.", default=None
    )
    misconceptions: tuple[Misconception, ...] = _doc(
        "Known mistakes, each with a program that makes it.", unique="id", default=()
    )
    equivalent: tuple[Equivalent, ...] = _doc(
        "Mutants of the solution that mean the same as it.", unique="change", default=()
    )
    also_right: tuple[RightProgram, ...] = _doc(
        "Further right programs, written in other ways than the solution, each a text or "
        "`{code, when}`; `verify` sees each pass.",
        default=(),
    )
    small_examples: bool = _doc(
        "Whether a submission that fails hidden tests only is followed by a small input on which "
        "it is wrong, drawn for it and in no test.",
        default=True,
    )
    edition: Edition = _doc(
        "full, or student: without anything hidden, made from the full one, never by hand.",
        default="full",
    )
    files: tuple[str, ...] = _doc(
        "Data for a submission, as `data/iris.csv`: paths below the course's folder, at most 8 MiB "
        "each. It finds them read-only in its working folder, under their names without folders. "
        "`given`, expected expressions, test bodies and the reference open them by the same names, "
        "hidden ones too.",
        default=(),
    )
    hidden_files: tuple[str, ...] = _doc(
        "The same, but there only once hidden tests run, and in no handout.", default=()
    )
    files_to_submit: tuple[str, ...] = _doc(
        "The files of a submission of several modules, as `[attention.py, masks.py]`: lower-case "
        "words joined by underscores. The first is the main one, which defines what is asked for; "
        "it imports the others by their names. Starter and solution have all of them, each after "
        "a line `# etude file: attention.py`. A misconception, or another right program, begins "
        "with such a line too, and may leave out files that are as in the solution.",
        unique="",
        default=(),
    )
    hidden_elsewhere: int = _doc(
        "In a student edition: how many tests it lacks, hidden ones and those that need the "
        "solution.",
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
    missing: tuple[Problem, ...] = field(default=(), metadata={"internal": True})
    # Changes the draws of hidden tests, so that a practice page never has those of the grader.
    draw_salt: str = field(default="", metadata={"internal": True})
    # SHA-256 of the file, and of the parts of the course that a verdict depends on.
    digest: str = field(default="", metadata={"internal": True})

    @property
    def breakable(self) -> tuple[Misconception, ...]:
        """The misconceptions whose programs learners may try to break."""
        if self.kind not in ("write", "fix"):
            return ()
        return tuple(each for each in self.misconceptions if each.breakable)

    @property
    def packages(self) -> tuple[str, ...]:
        """The modules that a submission may import besides NumPy."""
        return self.course.packages if self.course is not None else ()

    def refuse_missing(self, source: str = "") -> None:
        """Raise `DefinitionError` if the exercise or a submission needs a missing package."""
        problems = (*self.missing, *(self.course.missing_in(source) if self.course else ()))
        if problems:
            raise DefinitionError([*dict.fromkeys(problems)])

    @property
    def max_points(self) -> int:
        """The sum of the points of all tests."""
        return sum(test.points for test in self.tests)

    @property
    def path_name(self) -> str:
        """The file name of a submission to this exercise: `<id>.py`."""
        return f"{self.id}.py"
