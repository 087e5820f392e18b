"""Templates of a new exercise and a new course, complete and proven."""

import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from grader.definitions.json_schemas import nearest_schema, write_schemas
from grader.definitions.slug import is_slug
from grader.errors import UsageError

_TEMPLATES: Final = Path(__file__).with_name("template")
_FIRST_TRACK: Final = "first-steps"
_FIRST_EXERCISE: Final = "row-shares"
_OWN_SCHEMA: Final = "exercise.schema.json"
_NO_REFERENCE: Final = re.compile(r"^(  (\w+): )\{\} #.*$", re.MULTILINE)
_NUMBER: Final = re.compile(r"(\d+)-")


def write_exercise(slug: str, folder: Path, kind: str = "write") -> Path:
    """Write the template of an exercise under a new name, after the existing ones.

    Args:
        slug: The id: lower-case words joined by hyphens.
        kind: `write` or `test`.

    Returns:
        The path of the new file.

    Raises:
        UsageError: The slug is invalid, the exercise exists, or the file cannot be written.
    """
    if not is_slug(slug):
        raise UsageError(f"'{slug}' is not lower-case words joined by hyphens")
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    taken = [path for path in folder.glob("*.y*ml") if _NUMBER.sub("", path.stem, count=1) == slug]
    if taken:
        raise UsageError(f"{taken[0]} exists")
    # In a folder of numbered exercises, the new one gets the next number.
    numbers = [match[1] for path in folder.glob("*.y*ml") if (match := _NUMBER.match(path.name))]
    last = max(numbers, key=int, default="")
    number = f"{int(last) + 1:0{len(last)}}-" if last else ""
    path = folder / f"{number}{slug}.yaml"
    try:
        with path.open("x", encoding="utf-8") as file:
            replacements = {
                "@slug@": slug,
                "@title@": slug.replace("-", " ").capitalize(),
                "@function@": _name_function(slug),
                "@schema@": nearest_schema(folder, "exercise") or _OWN_SCHEMA,
            }
            text = (_TEMPLATES / f"{kind}.yaml").read_text(encoding="utf-8")
            file.write(_fill_in(text, replacements))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    return path


def write_course(slug: str, folder: Path) -> list[Path]:
    """Write a course with its own reference, a track, an exercise and the schemas.

    Args:
        slug: The name of its folder: lower-case words joined by hyphens.

    Returns:
        The paths of the new files.

    Raises:
        UsageError: The slug is invalid, the folder exists, or a file cannot be written.
    """
    if not is_slug(slug):
        raise UsageError(f"'{slug}' is not lower-case words joined by hyphens")
    course = folder / slug
    package = f"{_name_function(slug)}_reference"
    replacements = {"@title@": slug.replace("-", " ").capitalize(), "@package@": package}
    files = {
        "course.yaml": "course.yaml",
        "reference.py.txt": f"{package}/__init__.py",
        "rows.py.txt": f"{package}/rows.py",
        "track.yaml": f"{_FIRST_TRACK}/track.yaml",
    }
    try:
        course.mkdir(parents=True)
        written = write_schemas(course)
        for name, path in files.items():
            target = course / path
            target.parent.mkdir(exist_ok=True)
            text = (_TEMPLATES / "course" / name).read_text(encoding="utf-8")
            target.write_text(_fill_in(text, replacements), encoding="utf-8")
            written.append(target)
        exercise = write_exercise(_FIRST_EXERCISE, course / _FIRST_TRACK)
        text = exercise.read_text(encoding="utf-8")
        text = _NO_REFERENCE.sub(rf"\1{{reference: {package}.rows:\2}}", text)
        text = text.replace("expect: solution", "expect: reference")
        numbered = exercise.with_name(f"01-{exercise.name}")
        exercise.rename(numbered)
        numbered.write_text(text, encoding="utf-8")
    except FileExistsError:
        raise UsageError(f"{course} exists") from None
    except OSError as error:
        raise UsageError(f"{course} cannot be written: {error.strerror}") from error
    return [*written, numbered]


def _fill_in(text: str, replacements: Mapping[str, str]) -> str:
    return re.sub("|".join(replacements), lambda match: replacements[match[0]], text)


def _name_function(slug: str) -> str:
    name = slug.replace("-", "_")
    return f"solve_{name}" if name[0].isdigit() or keyword.iskeyword(name) else name
