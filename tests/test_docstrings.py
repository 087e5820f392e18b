"""Docstrings of modules, classes and functions."""

import ast
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = ("grader", "reference", "server", "site/sitegen")
OTHERS = ("tests", "benchmarks", "scripts")
QUESTION = re.compile(r"\s*(What|Which|Where|How|Who|Whose|Whether|When|Why)\b")
DIALECT = re.compile(r"\b(nobody|whoever|anew|(?<!by )hand(s|ed|ing)? in)\b", re.IGNORECASE)
# Plain are "Return the value", "is not an array", "the same", "fix" and "forever". `None`, "there is
# no such file", "is no longer" and "is no more than" are allowed.
ACCENT = re.compile(
    r"\b([Rr]eturn|[Yy]ield)s? (what|which|whatever)\b"
    r"|(?<![Tt]here )\b(is|are|was|were) no (?!longer\b|more than\b|one\b)"
    r"|\b[Ll]ikewise\b|\b[Mm]end(s|ed)?\b|\bfor ever\b"
)
# The second half of a sentence whose first half is the code before the comment.
SECOND_HALF = re.compile(r"#\s*(of|that|than|whose|which|who|or|by a)\b")
# The entries of a section, each indented by four, and their continuation lines.
SECTION = re.compile(r"^(Args|Attributes|Raises):\n((?:    .*\n?|\n(?=    ))*)", re.MULTILINE)
ENTRY = re.compile(r"    (\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*): ")
# A comment before a branch, which seems to belong to the branch above.
BEFORE_BRANCH = re.compile(
    r"^( *)#.*\n\1(?:except|finally|else|elif|case(?= [^=]))\b.*:", re.MULTILINE
)
# A comment below a `return`, in its block.
AFTER_RETURN = re.compile(
    r"^( *)(?:return|raise|continue|break)\b.*(?<![(\[{,])\n\1 *#.*", re.MULTILINE
)
NOUN = re.compile(r"(The|A|An|All|Every|Each|Its|Whether)\b")
THIRD_PERSON = re.compile(
    "(Adds|Answers|Builds|Checks|Collects|Compares|Computes|Converts|Decodes|Explains|Finds|Grades"
    "|Holds|Keeps|Loads|Makes|Reads|Records|Refuses|Renders|Replaces|Runs|Sends|Tries|Wraps|Writes)"
    r"\b"
)
IMPERATIVE = re.compile(r"(Return|Yield|Say|Whether)\b")


def _docstrings(path: Path, *, for_users: bool = True) -> dict[str, str]:
    """Return the docstrings in a file by the place of their definition.

    Without `for_users`, those of decorated functions are left out: some of them are a command's
    help, a route's description or a lint rule's summary.
    """
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        f"{path}:{getattr(node, 'lineno', 1)}": ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, kinds)
        and (for_users or isinstance(node, ast.Module | ast.ClassDef) or not node.decorator_list)
    }


def _comments(path: Path, *, only_after_code: bool = False) -> list[str]:
    """Return the comments in a file, each after its place."""
    with tokenize.open(path) as file:
        tokens = tokenize.generate_tokens(file.readline)
        return [
            f"{path}:{token.start[0]}: {token.string}"
            for token in tokens
            if token.type == tokenize.COMMENT
            and (token.line[: token.start[1]].strip() or not only_after_code)
        ]


def test_docstrings_are_in_plain_english() -> None:
    """Those of modules name their subject first: "A content-addressed disk cache.".

    All in the code begin with a noun or an imperative, and say "no one", "again" and "submit".
    """
    code, others = (
        [path for name in folders for path in (ROOT / name).rglob("*.py")]
        for folders in (CODE, OTHERS)
    )
    of_code = {place: text for path in code for place, text in _docstrings(path).items()}
    begins = {path: path.read_text("utf-8").removeprefix('"""') for path in others}

    assert len(code) + len(others) > 500
    assert len(of_code) > 3000
    assert [place for place, text in of_code.items() if QUESTION.match(text)] == []
    assert [place for place, text in of_code.items() if DIALECT.search(text)] == []
    assert [path for path, text in begins.items() if QUESTION.match(text)] == []


def test_docstrings_and_comments_have_no_accent() -> None:
    """They name the thing that a function returns, and say "is not a" rather than "is no"."""
    paths = [path for name in CODE for path in (ROOT / name).rglob("*.py")]
    docstrings = {
        place: text for path in paths for place, text in _docstrings(path, for_users=False).items()
    }
    comments = [comment for path in paths for comment in _comments(path)]

    assert len(comments) > 1500
    assert [place for place, text in docstrings.items() if ACCENT.search(text)] == []
    assert [comment for comment in comments if ACCENT.search(comment)] == []


def test_comments_after_code_are_phrases_of_their_own() -> None:
    """The comment on `line: int` is "the line of the submission", not "of the submission"."""
    paths = [path for name in CODE for path in (ROOT / name).rglob("*.py")]
    comments = [comment for path in paths for comment in _comments(path, only_after_code=True)]

    assert len(comments) > 500
    assert [comment for comment in comments if SECOND_HALF.search(comment)] == []


def test_properties_are_nouns_and_functions_imperatives() -> None:
    """A property is "The number of rows" or "True if it is full"; a function does something."""
    functions = [
        (f"{path}:{node.lineno}", node)
        for name in CODE
        for path in (ROOT / name).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    decorators = {
        place: [ast.unparse(each).rpartition(".")[2] for each in node.decorator_list]
        for place, node in functions
    }
    docstrings = {place: ast.get_docstring(node) or "" for place, node in functions}
    properties = [
        p for p, names in decorators.items() if {*names} & {"property", "cached_property"}
    ]

    assert len(properties) > 150
    assert [place for place in properties if IMPERATIVE.match(docstrings[place])] == []
    plain = [place for place, names in decorators.items() if not names]
    assert [place for place in plain if NOUN.match(docstrings[place])] == []


def test_classes_are_nouns() -> None:
    """A class is "A reader of cells", not "Reads cells"."""
    docstrings = {
        f"{path}:{node.lineno}": ast.get_docstring(node) or ""
        for name in CODE
        for path in (ROOT / name).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    }

    assert len(docstrings) > 500
    assert [place for place, text in docstrings.items() if THIRD_PERSON.match(text)] == []


def _members(node: ast.AST) -> set[str]:
    """Return the names of a function's parameters, or of a class's and its attributes."""
    names = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    if isinstance(node, ast.ClassDef):
        targets = [each.target for each in ast.walk(node) if isinstance(each, ast.AnnAssign)]
        names |= {ast.unparse(each).removeprefix("self.") for each in targets}
        names |= {
            each.attr
            for each in ast.walk(node)
            if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
        }
    return names


def test_documented_arguments_and_attributes_exist() -> None:
    """Each entry of a section begins with a name; those of parameters and fields are real ones."""
    sections = [
        (f"{path}:{node.lineno}", node, section, re.findall("^    (?! ).+", text, re.MULTILINE))
        for name in CODE
        for path in (ROOT / name).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for section, text in SECTION.findall(ast.get_docstring(node) or "")
    ]

    assert len(sections) > 800
    for place, node, section, lines in sections:
        entries = [ENTRY.match(line) for line in lines]
        assert None not in entries, (place, lines)
        if section != "Raises":
            names = {name for entry in entries if entry for name in re.findall(r"\w+", entry[1])}
            assert names <= _members(node), place


def test_comments_stand_in_the_block_that_they_explain() -> None:
    """A comment on a branch is its first line; none stands below a `return` in its block."""
    texts = {
        path: path.read_text("utf-8")
        for name in (*CODE, *OTHERS)
        for path in (ROOT / name).rglob("*.py")
        if "hostile" not in path.parts
    }

    for pattern in (BEFORE_BRANCH, AFTER_RETURN):
        found = [
            (path, match[0]) for path, text in texts.items() for match in pattern.finditer(text)
        ]
        assert found == []
