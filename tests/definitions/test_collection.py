"""Exercises and tracks in a folder: what belongs together, and what is found by its name."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import grader
from grader.definitions.collection import Collection, find_exercise, load_exercise, load_track
from grader.definitions.exercise import ExerciseId
from grader.definitions.files import default_folder
from grader.definitions.track import LessonDefinition, LessonId
from grader.errors import DefinitionError, Location, UsageError

FOLDER = Path("exercises")


@pytest.fixture
def collection(workdir: Path, minimal: str) -> "Writer":
    return Writer(workdir / FOLDER, minimal)


class Writer:
    """Writes a collection with two tracks and one exercise in neither."""

    def __init__(self, folder: Path, template: str) -> None:
        self.folder = folder
        self.template = template
        self.exercise("basics/01-double.yaml", "double")
        self.exercise("basics/02-halve.yaml", "halve", "requires: [double]")
        self.track("basics", "double, halve")
        self.exercise("attention/01-softmax.yaml", "softmax", "requires: [halve]")
        self.track("attention", "softmax")
        self.exercise("warm-up.yaml", "warm-up")

    def exercise(self, path: str, name: str, more: str = "") -> None:
        text = self.template.replace("id: double", f"id: {name}", 1)
        self.write(path, f"{text}{more}\n")

    def track(self, folder: str, exercises: str, more: str = "", *, name: str = "") -> None:
        head = f"id: {name or folder}\ntitle: All {folder}\ndescription: Learn.\n"
        self.write(f"{folder}/track.yaml", f"{head}exercises: [{exercises}]\n{more}")

    def write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, "utf-8")

    def problems(self) -> str:
        with pytest.raises(DefinitionError) as caught:
            Collection.load(FOLDER)
        return str(caught.value)


def test_order(collection: Writer) -> None:
    """Tracks come in the order of their folders, exercises in the order of their track."""
    collection.exercise("basics/00-treble.yaml", "treble")
    collection.track("basics", "double, halve, treble")
    loaded = Collection.load(FOLDER)
    assert [track.definition.id for track in loaded.tracks] == ["attention", "basics"]
    assert [exercise.id for exercise in loaded.tracks[1].exercises] == ["double", "halve", "treble"]
    assert [exercise.id for exercise in loaded.standalone] == ["warm-up"]
    assert [e.id for e in loaded.exercises] == [
        *["softmax", "double", "halve", "treble", "warm-up"]
    ]


def test_what_is_ignored(collection: Writer) -> None:
    """Folders without definitions, other files and hidden ones are not part of a collection."""
    collection.write("basics/lessons/why.svg", "<svg/>")
    collection.write("basics/lessons/.01-why.md", "# Why")
    collection.write("figures/one.svg", "<svg/>")
    collection.write("README.md", "# Exercises")
    collection.write(".cache/01-old.yaml", "]")
    collection.write("basics/.01-double.yaml", "]")
    assert len(Collection.load(FOLDER).exercises) == 4


def test_find(collection: Writer) -> None:
    """A loaded collection finds an exercise by its id, or names the closest one."""
    assert collection.folder.is_dir()
    loaded = Collection.load(FOLDER)
    assert loaded.find("halve").title == "Double it"
    with pytest.raises(UsageError, match=r"^no exercise 'softmx'; did you mean 'softmax'\?$"):
        loaded.find("softmx")
    with pytest.raises(UsageError, match=r"^no exercise 'q' in exercises$"):
        loaded.find("q")


@pytest.mark.parametrize(
    ("linked", "kind"),
    [
        ("basics/01-double.yaml", "file"),
        ("basics/track.yaml", "file"),
        ("warm-up.yaml", "file"),
        ("basics/lessons", "folder"),
        ("basics", "folder"),
    ],
)
def test_nothing_in_a_collection_is_a_link(linked: str, kind: str, collection: Writer) -> None:
    """Not even to a file of its own; the collection's folder itself may be one."""
    (FOLDER / "basics" / "lessons").mkdir()
    Path("alias").symlink_to(FOLDER)
    Collection.load(Path("alias"))
    (FOLDER / linked).rename(FOLDER / ".elsewhere")
    (FOLDER / linked).symlink_to((FOLDER / ".elsewhere").absolute())
    expected = f"{FOLDER}/{linked}:1:1: a symbolic link; put the {kind} itself here"
    assert expected in collection.problems()


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("warm-up.yaml", "warm\x1b[2J.yaml"),
        ("basics/01-double.yaml", "basics/01-a\n::error::b.yaml"),
        ("basics", "\u202esics"),
    ],
)
def test_a_name_that_cannot_be_printed_is_refused(name: str, new: str, collection: Writer) -> None:
    """It could steer a terminal, or begin a line that a CI's runner obeys; nor is it printed."""
    (FOLDER / name).rename(FOLDER / new)
    problems = collection.problems()
    shown = ascii(f"{FOLDER}/{new}")[1:-1]
    assert f"{shown}:1:1: this name has characters that cannot be printed; rename it" in problems


def require_each_other(collection: Writer) -> None:
    collection.track("attention", "softmax", "requires: [basics]\n")
    collection.track("basics", "double, halve", "requires: [attention]\n")


def write_a_lesson_twice(collection: Writer) -> None:
    collection.write("basics/lessons/01-numbers.md", "# Numbers")
    collection.write("basics/lessons/02-numbers.md", "# Numbers")
    collection.track("basics", "double, halve", "lessons: [{id: numbers, title: Numbers}]\n")


# A change of the collection, and the problems that it makes.
MISTAKES: dict[str, tuple[Callable[[Writer], None], list[str]]] = {
    "a track lists an exercise that its folder lacks": (
        lambda collection: collection.track("basics", "double, halve, duoble, softmax"),
        [
            "basics/track.yaml:4:28: exercises: no exercise 'duoble' in this folder; did you mean 'double'?",
            "basics/track.yaml:4:36: exercises: no exercise 'softmax' in this folder",
        ],
    ),
    "a track lists an exercise twice": (
        lambda collection: collection.track("basics", "double, halve, double"),
        [
            "basics/track.yaml:4:28: exercises: 'double' is already at exercises/basics/track.yaml:4:13"
        ],
    ),
    "a track leaves out an exercise of its folder": (
        lambda collection: collection.track("basics", "double"),
        ["basics/02-halve.yaml:1:1: exercise 'halve' is not listed in exercises/basics/track.yaml"],
    ),
    "a track puts an exercise before one that it requires": (
        lambda collection: collection.track("basics", "halve, double"),
        [
            "basics/track.yaml:4:13: exercises: 'halve' comes before 'double', which it requires",
        ],
    ),
    "a track states other XP than its exercises earn": (
        lambda collection: collection.track("basics", "double, halve", "xp: 11\n"),
        ["basics/track.yaml:5:5: xp: the exercises earn 10 together, not 11"],
    ),
    "a folder of exercises has no track file": (
        lambda collection: (collection.folder / "basics" / "track.yaml").unlink(),
        ["basics/track.yaml:1:1: missing; a folder of exercises needs a track.yaml"],
    ),
    "a track file has wrong keys and values": (
        lambda collection: collection.write(
            "basics/track.yaml", "id: basics\ntitle: on\nexercise: [double]\n"
        ),
        [
            "basics/track.yaml:1:1: missing keys 'description' and 'exercises' in a track",
            "basics/track.yaml:2:8: title: some YAML readers take 'on' for a boolean; "
            'write "on" in quotes if you mean the word, true or false if you mean a boolean',
            "basics/track.yaml:3:1: unknown key 'exercise' in a track; did you mean 'exercises'?",
        ],
    ),
    "a track is not called like its folder": (
        lambda collection: collection.track("basics", "double, halve", name="Basics"),
        [
            "basics/track.yaml:1:5: id: 'Basics' is not lower-case words joined by hyphens",
            "basics/track.yaml:1:5: id: 'Basics' is not the folder's name, 'basics'",
        ],
    ),
    "tracks require each other": (
        require_each_other,
        [
            "attention/track.yaml:5:12: requires: a circle: attention -> basics -> attention",
        ],
    ),
    "a file is not called like its exercise": (
        lambda collection: collection.exercise(
            "basics/02-halve.yaml", "half", "requires: [double]"
        ),
        [
            "basics/02-halve.yaml:1:5: id: the file must be called 02-half.yaml, or else this id must be 'halve'"
        ],
    ),
    "two files have one id": (
        lambda collection: collection.exercise("double.yml", "double"),
        ["basics/01-double.yaml:1:1: exercise 'double' is already in exercises/double.yml"],
    ),
    "an exercise requires one that the collection lacks": (
        lambda collection: collection.exercise(
            "warm-up.yaml", "warm-up", "requires: [softmax, sofmax]"
        ),
        ["warm-up.yaml:22:21: requires: no exercise 'sofmax'; did you mean 'softmax'?"],
    ),
    "exercises require each other": (
        lambda collection: collection.exercise(
            "basics/01-double.yaml", "double", "requires: [warm-up, softmax]"
        ),
        [
            "basics/01-double.yaml:22:21: requires: a circle: double -> softmax -> halve -> double",
        ],
    ),
    "an exercise requires itself": (
        lambda collection: collection.exercise("warm-up.yaml", "warm-up", "requires: [warm-up]"),
        ["warm-up.yaml:22:12: requires: a circle: warm-up -> warm-up"],
    ),
    "two files hold one lesson": (
        write_a_lesson_twice,
        [
            "basics/lessons/02-numbers.md:1:1: lesson 'numbers' is already in "
            "exercises/basics/lessons/01-numbers.md"
        ],
    ),
}


@pytest.mark.parametrize(("change", "problems"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_has_its_place(
    collection: Writer, change: Callable[[Writer], None], problems: list[str]
) -> None:
    """A mistake in the files of a collection is told with file, line and column, and nothing else."""
    change(collection)
    assert collection.problems().splitlines() == [f"exercises/{line}" for line in problems]


def test_circle_of_misnamed_files(collection: Writer) -> None:
    """A wrong id beside a circle does not hide it."""
    collection.exercise("a.yaml", "b", "requires: [b]")
    collection.exercise("b.yaml", "b", "requires: [a]")
    assert [line.split(" ", 1)[1] for line in collection.problems().splitlines()] == [
        "id: the file must be called b.yaml, or else this id must be 'a'",
        "requires: a circle: a -> b -> a",
    ]


def test_problems_of_all_files(collection: Writer) -> None:
    """One broken file hides neither another one's problems nor causes new ones elsewhere."""
    collection.write("basics/01-double.yaml", "]")
    collection.write("attention/01-softmax.yaml", "{")
    assert [line.split(" ")[0] for line in collection.problems().splitlines()] == [
        "exercises/attention/01-softmax.yaml:1:2:",
        "exercises/basics/01-double.yaml:1:1:",
    ]


def test_no_folder(workdir: Path) -> None:
    """Without the folder there is no collection, and the message says what to name."""
    assert list(workdir.iterdir()) == []
    sentence = "^no folder 'exercises'; name the folder that holds the exercises$"
    with pytest.raises(UsageError, match=sentence):
        Collection.load(FOLDER)
    with pytest.raises(UsageError, match=sentence):
        load_exercise("double", FOLDER)


def test_track_for_collection(collection: Writer) -> None:
    """A single track is not taken for a collection."""
    assert collection.folder.is_dir()
    with pytest.raises(UsageError, match=r"'exercises/basics' is a single track"):
        Collection.load(FOLDER / "basics")


def test_load_track(collection: Writer) -> None:
    """A track is loaded with its exercises, in its order."""
    collection.write("basics/lessons/01-numbers.md", "# Numbers")
    collection.write("basics/lessons/more.md", "# More")
    collection.track(
        "basics",
        "double, halve",
        "xp: 10\nlessons:\n"
        "  - {id: more, title: More}\n"
        "  - {id: numbers, title: Numbers, exercises: [halve, double]}\n",
    )
    folder = FOLDER / "basics"
    track = load_track(folder / "track.yaml")
    assert track.definition.title == "All basics"
    assert [exercise.id for exercise in track.exercises] == ["double", "halve"]
    assert track.lessons == (folder / "lessons" / "more.md", folder / "lessons" / "01-numbers.md")
    assert track.definition.lessons == (
        LessonDefinition(Location(folder / "track.yaml", 7, 5), LessonId("more"), "More"),
        LessonDefinition(
            Location(folder / "track.yaml", 8, 5),
            LessonId("numbers"),
            "Numbers",
            (ExerciseId("halve"), ExerciseId("double")),
        ),
    )
    assert track.xp == 10


LESSONS = (
    "lessons:\n"
    "  - {id: numbers, title: Numbers, exercises: [double]}\n"
    "  - {id: more, title: More, exercises: [halve]}\n"
)


@pytest.mark.parametrize(
    ("there", "instead", "said"),
    [
        (
            "id: more",
            "id: mroe",
            "lessons/02-more.md:1:1: lesson 'more' is not listed in exercises/basics/track.yaml\n"
            "exercises/basics/track.yaml:7:10: id: no file lessons/<number>-mroe.md beside this "
            "one; did you mean 'more'?",
        ),
        (
            "id: more",
            "id: numbers",
            "lessons/02-more.md:1:1: lesson 'more' is not listed in exercises/basics/track.yaml\n"
            "exercises/basics/track.yaml:7:10: id: 'numbers' is taken; it is already at "
            "exercises/basics/track.yaml:6:10",
        ),
        (
            "[halve]",
            "[halve, hlave, softmax]",
            "track.yaml:7:48: exercises: no exercise 'hlave' in this track; did you mean 'halve'?\n"
            "exercises/basics/track.yaml:7:55: exercises: no exercise 'softmax' in this track",
        ),
        (
            "[halve]",
            "[double]",
            "track.yaml:7:41: exercises: 'double' is taken; it is already at "
            "exercises/basics/track.yaml:6:47",
        ),
        (
            "title: More",
            "name: More",
            "track.yaml:7:5: missing key 'title' in a lesson\n"
            "exercises/basics/track.yaml:7:16: unknown key 'name' in a lesson; "
            "it may have 'id', 'title' and 'exercises'",
        ),
    ],
)
def test_bad_lessons(there: str, instead: str, said: str, collection: Writer) -> None:
    """Lessons and their files belong together, and lessons lead into exercises of the track."""
    collection.write("basics/lessons/01-numbers.md", "# Numbers")
    collection.write("basics/lessons/02-more.md", "# More")
    collection.track("basics", "double, halve", LESSONS)
    assert Collection.load(FOLDER).tracks[1].lessons
    assert LESSONS.count(there) == 1
    collection.track("basics", "double, halve", LESSONS.replace(there, instead))
    assert collection.problems() == f"exercises/basics/{said}"


def test_required_tracks(collection: Writer) -> None:
    """A track can require another one, even one that is broken, but none that does not exist."""
    collection.track("attention", "softmax", "requires: [basics]\n")
    loaded = Collection.load(FOLDER)
    assert loaded.tracks[1].definition.requires == ("basics",)
    collection.write("basics/track.yaml", "[")
    assert collection.problems().startswith("exercises/basics/track.yaml:1:2:")
    assert "\n" not in collection.problems()
    collection.track("basics", "double, halve")
    collection.track("attention", "softmax", "requires: [basic, maths]\n")
    assert collection.problems() == (
        "exercises/attention/track.yaml:5:12: requires: no track 'basic'; "
        "did you mean 'basics'?\n"
        "exercises/attention/track.yaml:5:19: requires: no track 'maths'"
    )


def test_a_track_comes_after_those_it_requires(collection: Writer) -> None:
    """The others stay in the order of their folders."""
    collection.track("attention", "softmax", "requires: [basics]\n")
    for name, more in {"a": "requires: [c]\n", "b": "", "c": "requires: [attention]\n"}.items():
        collection.exercise(f"{name}/one-{name}.yaml", f"one-{name}")
        collection.track(name, f"one-{name}", more)
    found = [track.definition.id for track in Collection.load(FOLDER).tracks]
    assert found == ["b", "basics", "attention", "c", "a"]


def test_load_bad_track(collection: Writer) -> None:
    """A track with a broken exercise is not loaded, and one that does not exist is named."""
    with pytest.raises(UsageError, match=r"no file 'exercises/nothing/track\.yaml'"):
        load_track(FOLDER / "nothing" / "track.yaml")
    collection.write("basics/01-double.yaml", "]")
    with pytest.raises(DefinitionError, match=r"01-double.yaml:1:1"):
        load_track(FOLDER / "basics" / "track.yaml")


def test_resolve_id(collection: Writer) -> None:
    """An id is found by the name of its file; the files around it may be anything."""
    collection.write("basics/02-halve.yaml", "]")
    collection.write("attention/track.yaml", "]")
    assert load_exercise("double", FOLDER).id == "double"
    assert load_exercise("warm-up", FOLDER).id == "warm-up"


def test_a_file_that_is_called_like_an_id_is_not_the_exercise(collection: Writer) -> None:
    """An id is looked up in the collection alone."""
    collection.exercise("basics/02-halve.yaml", "halve")
    Path("halve").symlink_to("/etc/passwd")
    assert load_exercise("halve", FOLDER).id == "halve"
    Path("halve").unlink()
    collection.exercise("../halve", "warm-up")
    assert load_exercise("halve", FOLDER).id == "halve"


def test_resolve_path(collection: Writer) -> None:
    """What has a separator or our suffix is loaded from wherever it is, whatever it is called."""
    collection.exercise("../elsewhere/anything.yml", "double")
    collection.exercise("../submission", "halve")
    collection.exercise("../own.yaml", "warm-up")
    assert load_exercise("elsewhere/anything.yml", Path("nowhere")).id == "double"
    assert load_exercise("./submission", Path("nowhere")).id == "halve"
    assert load_exercise("own.yaml", Path("nowhere")).id == "warm-up"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("duoble", r"no exercise 'duoble'; did you mean 'double'\?"),
        ("double.yaml", "no file 'double.yaml'"),
        ("../secret", r"no file '\.\./secret'"),
        ("draft", r"no exercise 'draft' in exercises \(for the file here, write '\./draft'\)"),
        (
            "exercises",
            r"no exercise 'exercises' in exercises \(for the folder here, write '\./exercises'\)",
        ),
        *((name, "no exercise .*") for name in ("", "x" * 5000, "x\0", "01-double", "track")),
    ],
)
def test_resolve_nothing(name: str, message: str, collection: Writer) -> None:
    """A name that nothing has gets the closest id, or a path; a path that nothing has, the path."""
    collection.write("../draft", "")
    with pytest.raises(UsageError, match=f"^{message}$"):
        load_exercise(name, FOLDER)


def test_a_name_that_looks_like_a_path_can_be_meant_as_an_id(collection: Writer) -> None:
    """A student's file `own.yaml.py` must not lead to a definition `own.yaml`."""
    collection.exercise("../own.yaml", "warm-up")
    with pytest.raises(UsageError, match=r"^no exercise 'own\.yaml' in exercises$"):
        find_exercise("own.yaml", FOLDER)


def test_resolve_bad_exercise(collection: Writer) -> None:
    """A broken exercise, a wrong id and a doubled name are definition errors."""
    collection.write("basics/02-halve.yaml", "]")
    with pytest.raises(DefinitionError, match=r"02-halve\.yaml:1:1"):
        load_exercise("halve", FOLDER)
    collection.exercise("basics/02-halve.yaml", "half")
    with pytest.raises(DefinitionError, match=r"must be called 02-half\.yaml"):
        load_exercise("halve", FOLDER)
    collection.exercise("07-double.yaml", "double")
    with pytest.raises(DefinitionError, match=r"'double' is already in exercises/07-double\.yaml"):
        load_exercise("double", FOLDER)


def test_default_folder_in_a_checkout() -> None:
    """In a checkout, the exercises are beside the package."""
    assert grader.__file__ is not None
    assert default_folder() == Path(grader.__file__).parents[1] / "exercises"


def test_default_folder_when_installed(tmp_path: Path) -> None:
    """In an installed package, the exercises are inside it."""
    assert grader.__file__ is not None
    shutil.copytree(
        Path(grader.__file__).parent,
        tmp_path / "grader",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    packaged = tmp_path / "grader" / "_content" / "exercises"
    packaged.mkdir(parents=True)
    program = "from grader.definitions.files import default_folder; print(default_folder())"
    printed = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert printed.stdout == f"{packaged}\n"
