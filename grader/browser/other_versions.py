"""Names and syntax that the page's Python or NumPy has and the grader's lacks."""

import ast
import io
import tokenize
from collections.abc import Iterator

from grader.grading.feedback.versions import (
    HERE,
    SYNTAX,
    Versions,
    name_sentence,
    newer_syntax_sentence,
)
from grader.sandbox.in_child import program_uses

_MAX_SENTENCES = 3  # sentences in one note, so that it stays readable
# These tokens exist from Python 3.12 on.
_FSTRING_START = getattr(tokenize, "FSTRING_START", None)
_FSTRING_MIDDLE = getattr(tokenize, "FSTRING_MIDDLE", None)
_FSTRING_END = getattr(tokenize, "FSTRING_END", None)


def find_differences(source: str, grader: Versions) -> tuple[str, ...]:
    """Return a note about names and syntax that the grader cannot run; empty if there are none."""
    if grader == HERE:
        return ()
    try:
        notes = sorted([*_find_names(source, grader), *_find_syntax(source, grader)], reverse=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()  # the verdict reports the error
    if not notes:
        return ()
    first = {sentence: line for line, sentence in notes}
    sentences = sorted((line, sentence) for sentence, line in first.items())[:_MAX_SENTENCES]
    lines = " ".join(f"Line {line}: {sentence}" for line, sentence in sentences)
    return (f"The grader has {grader}; this page has {HERE}. {lines}",)


def _find_names(source: str, grader: Versions) -> Iterator[tuple[int, str]]:
    uses = program_uses.find_uses(source)["uses"]
    assert isinstance(uses, list)  # for the type checker
    for _, name, _, line in uses:
        if (sentence := name_sentence(name, grader)) and not name_sentence(name, HERE):
            yield line, sentence


def _find_syntax(source: str, grader: Versions) -> Iterator[tuple[int, str]]:
    forms = [
        (getattr(node, "lineno", 1), _name_form(node, source))
        for node in ast.walk(ast.parse(source))
    ]
    for line, kind in (*forms, *_find_fstrings(source)):
        if kind and SYNTAX[kind].since > grader.python:
            yield line, newer_syntax_sentence(SYNTAX[kind], grader)


def _name_form(node: ast.AST, source: str) -> str:
    """Return the kind of a node's syntax in `SYNTAX`; empty for syntax that every grader knows."""
    if parameters := getattr(node, "type_params", None):
        has_default = any(getattr(parameter, "default_value", None) for parameter in parameters)
        return "default" if has_default else "parameters"
    match node:
        case ast.ListComp(elt=ast.Starred()) | ast.SetComp(elt=ast.Starred()):
            return "unpacked"
        case ast.ExceptHandler(type=ast.Tuple() as types):
            written = ast.get_source_segment(source, types) or "("
            return "" if written.startswith("(") else "except"
    return {"TypeAlias": "type", "TemplateStr": "template"}.get(type(node).__name__, "")


def _find_fstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and kind of each f-string whose braces hold something that Python 3.11 rejects."""
    quotes: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line, text = token.start[0], token.string
        if quotes and token.type not in (_FSTRING_MIDDLE, _FSTRING_END):
            if token.type in (tokenize.STRING, _FSTRING_START) and quotes[-1] in text:
                yield line, "quotes"
            elif token.type == tokenize.COMMENT or "\\" in text:
                yield line, "f-string"
            elif token.type == tokenize.NL and len(quotes[-1]) == 1:
                yield line, "lines"
        if token.type == _FSTRING_START:
            quotes.append(text.lstrip("fFrRbB"))
        elif token.type == _FSTRING_END:
            quotes.pop()
