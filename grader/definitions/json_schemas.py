"""The JSON Schemas of exercises, tracks and courses, made from the types.

Editors use them to complete and check while an author types. They describe what `decode` accepts.
Only the loader checks the other rules, for example whether a name is defined.
"""

import inspect
import json
import os
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, Final, Literal, NewType, TypeAlias, Union, cast, get_args, get_origin

from grader.definitions.course_file import CourseDefinition
from grader.definitions.decode import author_keys, required_keys
from grader.definitions.exercise import (
    KINDS_OF_TEST,
    Exercise,
    Expected,
    FromExpression,
    FromReference,
    FromSolution,
    Given,
    Literals,
    LiteralValue,
    Property,
    Seeded,
    TestCase,
)
from grader.definitions.properties import PROPERTIES
from grader.definitions.track import TrackDefinition

Schema: TypeAlias = dict[str, Any]

SCHEMAS: Final[Mapping[str, type]] = {
    "exercise": Exercise,
    "track": TrackDefinition,
    "course": CourseDefinition,
}
"""The kinds of files that have a schema, with the types that they are decoded to."""

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PRIMITIVES: Final = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_text(kind: str) -> str:
    """Return the schema for a kind of file, a key of `SCHEMAS`, as JSON."""
    return json.dumps(schema(SCHEMAS[kind]), indent=2, ensure_ascii=False) + "\n"


def schema_path(kind: str) -> Path:
    """Return the path of the stored schema for a kind of file, beside this module."""
    return Path(__file__).with_name(f"{kind}.schema.json")


def nearest_schema(folder: Path, kind: str) -> str:
    """Return the relative path to the copy of a schema in a folder or above it, or ""."""
    folder = folder.resolve()
    copies = (
        above / below / schema_path(kind).name
        for above in (folder, *folder.parents)
        for below in (".", "grader/definitions")
    )
    schema = next((path for path in copies if path.is_file()), None)
    return "" if schema is None else Path(os.path.relpath(schema, folder)).as_posix()


def write_schemas(folder: Path) -> list[Path]:
    """Write the schema of each kind of file into a folder; return their paths.

    Raises:
        OSError: One of them cannot be written.
    """
    paths = [folder / schema_path(kind).name for kind in SCHEMAS]
    for path, kind in zip(paths, SCHEMAS, strict=True):
        path.write_text(schema_text(kind), encoding="utf-8")
    return paths


def schema(root: type) -> Schema:
    """Return the schema of the files that are decoded to a frozen dataclass."""
    parts: dict[str, Schema] = {}
    whole = _SchemaParts(parts).dataclass_schema(root)
    if root is Exercise:
        whole["if"] = {
            "properties": {"edition": {"const": "student"}},
            "required": ["edition"],
        }
        whole["else"] = {"required": ["solution", "explanation"]}
    return {
        "$schema": _DIALECT,
        "title": root.__name__.removesuffix("Definition"),
        **whole,
        "$defs": dict(sorted(parts.items())),
    }


def description(kind: type) -> str:
    """Return the docstring of a class with each paragraph on one line."""
    paragraphs = inspect.cleandoc(kind.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


class _SchemaParts:
    """A converter of annotations to schemas; the classes in them become `$defs`."""

    def __init__(self, parts: dict[str, Schema]) -> None:
        self.parts = parts

    def dataclass_schema(self, kind: type) -> Schema:
        """Return the schema of a mapping that is decoded to a dataclass."""
        by_name = {field.name: field for field in fields(kind)}
        properties = {}
        for name, annotation in author_keys(kind).items():
            field = by_name[name]
            part: Schema = {"description": field.metadata["doc"], **self.type_schema(annotation)}
            part |= field.metadata["rules"]
            if field.metadata["unique"] == "":
                part["uniqueItems"] = True
            default = field.default if field.default_factory is MISSING else field.default_factory()
            if isinstance(default, FromReference):  # in the form that an author writes
                default = "reference"
            elif isinstance(default, Literals):
                default = dict(default.values)
            elif isinstance(default, tuple):
                default = list(default)
            if default is not MISSING and default is not None:
                part["default"] = default
            properties[name] = part
        whole: Schema = {
            "description": description(kind),
            "type": "object",
            "properties": properties,
            "additionalProperties": False,
        }
        if required := required_keys(kind):
            whole["required"] = list(required)
        return whole

    def type_schema(self, annotation: object) -> Schema:
        """Return the schema of an annotation."""
        if (special := _SPECIAL.get(annotation)) is not None:
            return special(self)
        if isinstance(annotation, NewType):
            annotation = annotation.__supertype__
        if isinstance(annotation, type) and annotation in _PRIMITIVES:
            return {"type": _PRIMITIVES[annotation]}
        if is_dataclass(annotation):
            part = self._part_schema(cast("type", annotation))
            has_short_form = hasattr(annotation, "short_form")
            return {"anyOf": [{"type": "string"}, part]} if has_short_form else part
        return self._generic_schema(get_origin(annotation), get_args(annotation))

    def _part_schema(self, kind: type) -> Schema:
        if kind.__name__ not in self.parts:
            self.parts[kind.__name__] = {}  # a class may name itself
            self.parts[kind.__name__] = self.dataclass_schema(kind)
        part = {"$ref": f"#/$defs/{kind.__name__}"}
        return part if required_keys(kind) else {"anyOf": [part, {"type": "null"}]}

    def _generic_schema(self, origin: object, arguments: tuple[Any, ...]) -> Schema:
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin is tuple:
            return {"type": "array", "items": self.type_schema(arguments[0])}
        if origin in (Union, types.UnionType):
            (annotation,) = (argument for argument in arguments if argument is not types.NoneType)
            part = self.type_schema(annotation)
            match part:
                case {"type": str(kind)} if kind != "object":
                    part["type"] = [kind, "null"]
                case {"anyOf": [*_, {"type": "null"}]}:
                    pass
                case _:
                    part = {"anyOf": [part, {"type": "null"}]}
            return part
        return {"type": "object", "additionalProperties": self.type_schema(arguments[1])}

    def inputs_schema(self) -> Schema:
        """Return the schema of a test's inputs."""
        return {
            "anyOf": [
                {"description": description(Literals), "type": "object"},
                {"description": description(Seeded), "type": "string"},
            ]
        }

    def expected_value_schema(self) -> Schema:
        """Return the schema of an expected value, which accepts any value."""
        code = {"description": "A Python expression.", "type": "string"}
        return {
            "anyOf": [
                {"description": description(FromReference), "const": "reference"},
                {"description": description(FromSolution), "const": "solution"},
                {
                    "description": description(FromExpression),
                    "type": "object",
                    "properties": {"expression": code},
                    "required": ["expression"],
                    "additionalProperties": False,
                },
                {"description": description(LiteralValue)},
            ]
        }

    def test_schema(self) -> Schema:
        """Return the schema of a test, whose kind follows from its keys."""
        first, *others = KINDS_OF_TEST
        part = self.type_schema(first)
        for kind in others:
            part = {
                "if": {"required": [kind.kind_key]},
                "then": self.type_schema(kind),
                "else": part,
            }
        return {"type": "object", **part}

    def property_schema(self) -> Schema:
        """Return the schema of a property's name."""
        names = PROPERTIES.items()
        return {"oneOf": [{"const": name, "description": each.meaning} for name, each in names]}


_SPECIAL: Final[dict[object, Callable[[_SchemaParts], Schema]]] = {
    Given: _SchemaParts.inputs_schema,
    Expected: _SchemaParts.expected_value_schema,
    TestCase: _SchemaParts.test_schema,
    Property: _SchemaParts.property_schema,
}
