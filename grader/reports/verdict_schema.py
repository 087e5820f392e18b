"""The published JSON Schema of what `--format json` and `--format jsonl` print."""

from importlib.resources import files


def verdict_schema_text() -> str:
    """Return the schema as JSON."""
    return files("grader.reports").joinpath("verdict.schema.json").read_text("utf-8")
