"""Practice exercises of Exercism: the exemplar as the solution, the stub as the starter."""

import os
from pathlib import Path, PurePosixPath
from typing import Any

from grader.audit.assignment import Assignment
from grader.audit.loading.python_source import bad, has_test, parse
from grader.authoring.importing.source_files import (
    UnreadableError,
    entries,
    parse_json,
    text_inside,
)

_CONFIG = ".meta/config.json"


def load_exercism(folder: Path) -> Assignment:
    """Read the folder of an exercise.

    Raises:
        DefinitionError: it has no exemplar or no tests, or one of its files cannot be read.
    """
    try:
        return _load(folder)
    except UnreadableError as error:
        raise bad(folder, str(error)) from error


def _load(folder: Path) -> Assignment:
    config = parse_json(text_inside(folder, _CONFIG), _CONFIG)
    listed = config.get("files") if isinstance(config, dict) else None
    files = listed if isinstance(listed, dict) else {}
    name = folder.absolute().name
    stem = name.replace("-", "_")
    stubs = _python(files, "solution") or [f"{stem}.py"]
    models = [*_python(files, "exemplar"), *_python(files, "example")]
    models = models or [
        each for each in (".meta/exemplar.py", ".meta/example.py") if os.path.lexists(folder / each)
    ]
    tests = _python(files, "test") or [f"{stem}_test.py"]
    if not models:
        raise bad(folder / _CONFIG, "the exercise has no exemplar, so there is no solution")
    solution = stubs[0]
    modules = {solution: _source(folder, models[0])}
    read = {each: _source(folder, each) for each in tests}
    if not any(has_test(parse(source, folder / each)) for each, source in read.items()):
        raise bad(folder / tests[0], "there is no test in it")
    given = [*stubs, *models, *tests]
    beside = [
        entry.name
        for entry in entries(folder)
        if entry.name.endswith(".py") and entry.name not in given and not entry.is_symlink()
    ]
    modules |= {each: _source(folder, each) for each in (*stubs[1:], *beside)}
    starter = _source(folder, solution) if os.path.lexists(folder / solution) else None
    source = (folder / models[0]).as_posix()
    return Assignment(name, "exercism", solution, modules, read, starter, source=source)


def _python(files: dict[str, Any], key: str) -> list[str]:
    value = files.get(key)
    names = value if isinstance(value, list) else []
    return [each for each in names if PurePosixPath(str(each)).suffix == ".py"]


def _source(folder: Path, name: str) -> str:
    source = text_inside(folder, name)
    parse(source, folder / name)
    return source
