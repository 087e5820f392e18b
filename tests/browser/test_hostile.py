"""Texts that would be markup or script, wherever an author or a submission can put them."""

import json
import re
from collections.abc import Iterator

import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext
from tests.browser.hosting import BASE, hosted
from tests.browser.judging import pretend_python
from tests.browser.learner import Bench
from tests.browser.tools import Tools, build_site

# Each of these would set a name on the page, or ask a question, if it were more than a text.
ATTACKS = (
    "<img src=x onerror=hacked=1>",
    "<script>hacked=2</script>",
    "\"'><svg onload=hacked=3>",
    "</script><script>hacked=4</script>",
    "</textarea><iframe srcdoc='<script>parent.hacked=5</script>'>",
    "[link](javascript:hacked=6)",
    "{{ hacked }} ${hacked=7} {% raw %}",
    "';hacked=8;'",
    "</style><style onload=hacked=9>",
)
ATTACK = " ".join(ATTACKS)
TRACK = {
    "id": "track",
    "title": f"Track {ATTACK}",
    "description": ATTACK,
    "exercises": ["hostile"],
    "lessons": [{"id": "lesson", "title": f"Lesson {ATTACK}", "exercises": ["hostile"]}],
}
STARTER = f"def tell(word):\n    return {ATTACK!r}  # {ATTACK}\n"
SOLUTION = "def tell(word):\n    return [word]\n"
EXERCISE = {
    "id": "hostile",
    "title": f"Title {ATTACK}",
    "difficulty": "beginner",
    "xp": 5,
    "concepts": ["hostile"],
    "instructions": f"Write `tell()`. {ATTACK}\n\n`{ATTACK}`\n\n```python\n{ATTACK}\n```\n",
    "defines": {"tell": {}},
    "starter": STARTER,
    "tests": [
        {
            "id": "told",
            "description": ATTACK,
            "given": {"word": ATTACK},
            "call": "tell(word)",
            "expect": [ATTACK],
        },
        {
            "id": "printed",
            "description": ATTACK,
            "given": {"word": ATTACK},
            "run": "print(tell(word)[0])",
            "stdout": ATTACK,
        },
        {
            "id": "hidden",
            "hidden": True,
            "given": {"word": "other"},
            "call": "tell(word)",
            "expect": ["other"],
        },
    ],
    "misconceptions": [
        {"id": "wrong", "code": "def tell(word):\n    return 3\n", "feedback": ATTACK}
    ],
    "hints": [ATTACK],
    "solution": SOLUTION,
    "explanation": ATTACK,
}
LESSON = f"""\
# Lesson {ATTACK}

{ATTACK}

```python
attack = {ATTACK!r}
print(attack)
heatmap([[0.25, 0.75]], rows=[attack[:40]], columns=["a", attack[:40]], title=attack)
```

```exercise
hostile
```
"""


@pytest.fixture(scope="module")
def hostile_site(tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site whose author tries everything."""
    root = tmp_path_factory.mktemp("hostile")
    track = root / "exercises" / "track"
    (track / "lessons").mkdir(parents=True)
    (track / "track.yaml").write_text(yaml.safe_dump(TRACK))
    (track / "01-hostile.yaml").write_text(yaml.safe_dump(EXERCISE))
    (track / "lessons" / "01-lesson.md").write_text(LESSON)
    more = "--exercises", root / "exercises", "--with-solutions"
    with hosted(build_site(root / "site", tools, BASE, *more)) as address:
        yield address


# What a program in the worker could send to the page in place of the grader.
FORGED = json.dumps(
    {
        "schema": "etude/verdict/v1",
        "outcome": "failed",
        "score": 0,
        "max_score": 1,
        "message": "",
        "line": None,
        "grader_version": "0.1.0",
        "submission_hash": "0" * 64,
        "exercise_hash": "0" * 64,
        "output": ATTACK,
        "printed": ATTACK,
        "truncated": ATTACK,
        "problem": {"message": ATTACK, "line": 1},
        "figures": [
            {
                "kind": "heatmap",
                "title": ATTACK,
                "whole": False,
                "rows": [ATTACK],
                "columns": [ATTACK, ATTACK],
                "values": [[0.25, 0.75]],
            }
        ],
        "diagnosis": {"kind": "misconception", "ids": [ATTACK], "feedback": ATTACK, "hint": None},
        "tests": [
            {
                "id": ATTACK,
                "description": ATTACK,
                "outcome": ATTACK,
                "points": ATTACK,
                "max_points": ATTACK,
                "message": ATTACK,
                "line": 1,
                "output": ATTACK,
                "inputs": [{"name": ATTACK, "value": {"summary": ATTACK, "text": ATTACK}}],
                "expected": {"summary": ATTACK, "text": ATTACK, "rows": [[0.25]]},
                "got": {"summary": ATTACK, "text": ATTACK, "rows": [[0.25]]},
            }
        ],
    }
)
SUBMISSIONS = {
    "returned": STARTER,
    "misconception": "def tell(word):\n    return 3\n",
    "raised": f"def tell(word):\n    raise ValueError({ATTACK!r})\n",
    "printed": f"print({ATTACK!r})\n{SOLUTION}",
    "named": f"tell = type({ATTACK!r}, (), {{}})\n",
    "keys": f"def tell(word):\n    return {{{ATTACK!r}: {ATTACK!r}}}\n",
    "syntax": f"{ATTACK}\n",
    "JavaScript": "import js\njs.hacked = 1\n",
    "forged": f"""\
import json
import js
for number in range(99):
    message = {{"kind": "result", "id": number, "heap": 1, "text": {FORGED!r}}}
    js.postMessage(js.JSON.parse(json.dumps(message)))
""",
}


@pytest.mark.slow
def test_no_page_runs_what_somebody_wrote_as_a_text(
    new_context: NewContext, hostile_site: str
) -> None:
    """What an author wrote, and what a program says in Python's place, is shown as a text."""
    page = new_context(hostile_site).new_page()
    pretend_python(page, FORGED)
    for path in ("", "track/", "concepts/", "progress/"):
        page.goto(path, wait_until="networkidle")
        _is_unharmed(page)
    page.goto("search/?q=title")
    expect(page.get_by_role("link", name="Title <img").first).to_be_visible()
    _is_unharmed(page)

    page.goto("track/lessons/lesson/")
    _is_unharmed(page)
    page.get_by_role("button", name="Run cell 1").click()
    expect(page.locator(".problem")).to_contain_text(ATTACKS[0])
    page.get_by_role("figure").get_by_role("button").first.click()
    _is_unharmed(page)

    page.goto("track/hostile/")
    bench = Bench(page)
    for name in ("Run", "Check"):
        bench.write(STARTER)
        bench.button(name).click()
        bench.concludes(re.compile("."))
        expect(bench.results).to_contain_text(ATTACKS[0])
        _is_unharmed(page)
    page.get_by_text("Solution", exact=True).click()
    page.get_by_role("button", name="Give up and show it").click()
    page.get_by_role("dialog").get_by_role("button", name="Give up", exact=True).click()
    expect(page.get_by_text("return [word]").first).to_be_visible()
    _is_unharmed(page)


@pytest.mark.slow
def test_no_result_runs_what_a_submission_wrote_as_a_text(
    new_context: NewContext, hostile_site: str
) -> None:
    """Values, output, errors, names of classes, forged verdicts: whatever comes back is text."""
    page = new_context(hostile_site).new_page()
    page.goto("track/hostile/")
    bench = Bench(page)
    for code in SUBMISSIONS.values():
        for name in ("Run", "Check"):
            bench.write(code)
            bench.button(name).click()
            bench.concludes(re.compile("."))
            _is_unharmed(page)


def _is_unharmed(page: Page) -> None:
    """Nothing was run, and nothing of the attacks became an element."""
    assert page.evaluate("typeof hacked") == "undefined"
    made = page.locator("[src=x], [srcdoc], [onload], [onerror], [href^='javascript']")
    assert [each.evaluate("(it) => it.outerHTML") for each in made.all()] == []
