"""Hand-made public tracks, and a parser for the pages built from them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from jinja2 import BytecodeCache, Environment
from jinja2.bccache import Bucket

from grader.definitions.exercise import ExerciseId, TestId
from grader.definitions.public_exercise import PublicExercise, PublicHint, PublicTest, PublicTrack
from grader.definitions.track import TrackId
from grader.errors import Location
from grader.lessons.blocks import Block, Cell, Exercises, MatrixDisplay, Prose
from grader.lessons.computed_text import Text
from sitegen import build_site, rendering
from sitegen.content import Content, TrackLesson
from sitegen.hosting import Hosting


class _Compiled(BytecodeCache):
    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if code := self._kept.get(bucket.key + bucket.checksum):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key + bucket.checksum] = bucket.bytecode_to_string()


@pytest.fixture(scope="session", autouse=True)
def _compiled_once() -> Iterator[None]:
    """Compile each template once for all sites, which is most of the build time of a small one."""
    make, compiled = rendering._environment, _Compiled()  # noqa: SLF001  no site shares its environment

    def environment() -> Environment:
        made = make()
        made.bytecode_cache = compiled
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendering, "_environment", environment)
        yield


VOID = {"meta", "link", "input", "br", "hr", "img"}
SELF_CLOSED = {"rect", "path", "circle", "use", "image", "mspace"}

Attributes: TypeAlias = dict[str, str]


@dataclass
class Element:
    tag: str
    attributes: Attributes
    within: tuple[str, ...] = ()  # the tags around it
    text: str = ""


class Page(HTMLParser):
    """A page's elements in order; unbalanced tags raise an error."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.path = path
        self.elements: list[Element] = []
        self.text = ""  # without text that only scripts read
        self._open: list[Element] = []
        self.feed(path.read_text("utf-8"))
        self.close()
        assert not self._open, f"never closed in {path}: {[each.tag for each in self._open]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice in {self.get_starttag_text()}"
        element = self._element(tag, attrs)
        if tag not in VOID:
            assert tag not in SELF_CLOSED, f"<{tag}> is not closed in {self.path}"
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SELF_CLOSED, f"<{tag}/> means <{tag}> in HTML"
        self._element(tag, attrs)

    def _element(self, tag: str, attrs: list[tuple[str, str | None]]) -> Element:
        around = tuple(each.tag for each in self._open)
        element = Element(tag, {name: value or "" for name, value in attrs}, around)
        self.elements.append(element)
        return element

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing in {self.path}"
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}> in {self.path}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1].tag != "script":
            self.text += data
        for element in self._open:
            element.text += data

    def all(self, tag: str, **attributes: str) -> list[Element]:
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        return [
            element
            for element in self.elements
            if element.tag == tag and wanted.items() <= element.attributes.items()
        ]

    def one(self, tag: str, **attributes: str) -> Element:
        (element,) = self.all(tag, **attributes)
        return element


def contents(folder: Path) -> dict[str, bytes]:
    """Read all files of a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@dataclass
class Site:
    """A built site."""

    root: Path
    pages: dict[str, Page] = field(init=False)

    def __post_init__(self) -> None:
        files = sorted(self.root.rglob("*.html"))
        self.pages = {path.relative_to(self.root).as_posix(): Page(path) for path in files}

    def __getitem__(self, path: str) -> Page:
        return self.pages[path]

    def asset(self, name: str) -> str:
        """Read the asset that had this name before hashing."""
        stem, _, suffix = name.rpartition(".")
        (path,) = (self.root / "assets").glob(f"{stem}-????????????.{suffix}")
        return path.read_text("utf-8")


Build: TypeAlias = Callable[..., Site]


def make_test(**changes: object) -> PublicTest:
    fields: dict[str, Any] = {
        "kind": "call",
        "id": TestId("worked-example"),
        "description": "two queries, three keys",
        "points": 1,
        "given": {"Q": np.array([[1.0, 0.0], [0.0, 1.0]]), "causal": True},
        "code": "weights(Q, causal=causal)",
        "expected": np.array([[0.25, 0.75, 0.0], [0.5, 0.125, 0.375]]),
    }
    fields.update(changes)
    return PublicTest(**fields)


def make_exercise(id: str = "weights", **changes: object) -> PublicExercise:  # noqa: A002  the field's name
    fields: dict[str, Any] = {
        "id": ExerciseId(id),
        "title": f"Title of {id}",
        "kind": "write",
        "difficulty": "beginner",
        "xp": 15,
        "requires": (),
        "concepts": ("softmax",),
        "instructions": "Return the weights of $Q K^\\top$.\n\n## Your task\n\nWrite `weights(Q)`.",
        "starter": "import numpy as np\n\n\ndef weights(Q):\n    return None\n",
        "defines": ("weights",),
        "hints": ("Think in $\\sqrt{d_k}$.", "Use `np.exp`."),
        "tests": (make_test(),),
        "hidden_tests": 3,
        "max_points": 7,
    }
    fields.update(changes)
    fields["hints"] = tuple(PublicHint(text, 2 * n) for n, text in enumerate(fields["hints"]))
    return PublicExercise(**fields)


def make_track(*exercises: PublicExercise, **changes: object) -> PublicTrack:
    fields: dict[str, Any] = {
        "id": TrackId("attention"),
        "title": "Attention from scratch",
        "description": "Build **attention** from arrays.",
        "xp": sum(exercise.xp for exercise in exercises),
        "exercises": exercises,
    }
    fields.update(changes)
    return PublicTrack(**fields)


WHERE = Location(Path("lessons/01-begin.md"), 7)


def make_lesson(name: str, *blocks: Block, exercises: tuple[str, ...] = ()) -> TrackLesson:
    path = Path(f"lessons/01-{name}.md")
    return TrackLesson(name, f"Lesson {name}", exercises, path, blocks)


def make_prose(text: str, line: int = 1) -> Prose:
    return Prose(Location(WHERE.path, line), Text((text,)))


def make_shown(values: object, kind: str = "heatmap", **changes: object) -> MatrixDisplay:
    fields: dict[str, Any] = {"title": "", "whole": False, "rows": (), "columns": ()} | changes
    return MatrixDisplay(kind=kind, values=np.array(values, dtype=np.float64), **fields)


@pytest.fixture
def build(tmp_path: Path) -> Build:
    def build(*tracks: PublicTrack, hosting: Hosting | None = None, **content: Any) -> Site:
        root = tmp_path / "built"
        build_site(Content(tracks, **content), root, hosting=hosting)
        return Site(root)

    return build


LESSON_PAGE = "attention/lessons/begin/index.html"


def lesson_page(build: Build, *blocks: Block, exercises: tuple[str, ...] = ()) -> Page:
    """Build a site of one lesson with these blocks, and return the lesson's page."""
    track = make_track(*map(make_exercise, exercises))
    lesson = make_lesson("begin", *blocks, exercises=exercises)
    return build(track, lessons={"attention": [lesson]})[LESSON_PAGE]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Tracks whose pages together contain every part of a page."""
    masked = np.where(np.triu(np.ones((3, 3), dtype=bool), k=1), -np.inf, 1.5)
    attention = make_track(
        make_exercise("weights"),
        make_exercise(
            "masks",
            kind="fix",
            difficulty="advanced",
            xp=20,
            requires=("weights", "broadcasting", "elsewhere"),
            instructions=(
                "# One\n\n## Two\n\n### Three\n\n$$M = \\begin{cases} 0 & j \\le i \\\\ "
                "-\\infty & j > i \\end{cases}$$\n\n| a | b |\n|--:|:--|\n| 1 | 2 |\n\n"
                "```python\n>>> x @ y\n```\n\n[the paper](https://arxiv.org/abs/1706.03762)\n"
            ),
            tests=(
                make_test(id="pair", expected=(masked, np.arange(12.0))),
                make_test(id="print", kind="output", code="print(1)", expected="1\n", given={}),
                make_test(id="large", given={"X": np.ones((13, 2))}, expected={"a": "text"}),
            ),
            hidden_tests=0,
        ),
        make_exercise("heads", kind="predict", difficulty="intermediate", hints=(), concepts=()),
    )
    arrays = make_track(make_exercise("broadcasting"), id=TrackId("arrays"), title="Arrays")
    course = make_track(
        *(make_exercise(name) for name in ("one", "two", "three", "loose")),
        id=TrackId("course"),
        title="Course",
    )
    begin = make_lesson(
        "begin",
        make_prose("# Another title\n\nA text with $x^2$.\n\n## Part\n\n### Detail\n"),
        Cell(WHERE, "print(1)\nheatmap(weights)\n", False, printed="1\n", displays=(WEIGHTS,)),
        Exercises(WHERE, (ExerciseId("two"),)),
        make_prose("After it.\n"),
        Cell(WHERE, "table(numbers)\n", hidden=True, displays=(NUMBERS,)),
        exercises=("one", "two"),
    )
    end = make_lesson("end", make_prose("The end.\n"), exercises=("three",))
    empty = make_track(id=TrackId("empty"), title="Empty")
    root = tmp_path_factory.mktemp("site") / "out"
    content = Content((attention, arrays, empty, course), {"course": [begin, end]})
    build_site(content, root)
    return Site(root)


WEIGHTS = make_shown(
    [[1.0, 0.0], [0.254, np.nan]], rows=("the", "cat"), columns=("the", "cat"), title="Weights"
)
NUMBERS = make_shown(np.arange(28.0).reshape(2, 14) / 7, kind="table")
