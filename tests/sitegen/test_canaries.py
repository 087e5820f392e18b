"""No byte of a built site has anything hidden, as it is or encoded.

A collection with a canary in every hidden place goes through the real command. Canaries in public
places show that the search would find what it looks for; tests/test_secret_search.py shows that it
does in each encoding.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.secret_search import SecretSearch

EXERCISES = {
    "01-double.yaml": """\
# zqxcommentjvk: an author's note, with the number 71934.8261
id: double
title: Double it
difficulty: beginner
xp: 5
instructions: Write `double(x)`. zqxvisiblejvk
defines: {double: {}}
starter: |
  def double(x):
      ...
hints: [Twice.]
tests:
  - id: two
    given: {x: [[64738.2917, 1.5], [2.5, 3.0]]}
    call: double(x)
    expect: [[129476.5834, 3.0], [5.0, 6.0]]
  # zqxsecondcommentjvk
  - id: zqxcallidjvk
    description: zqxcalldescriptionjvk
    hidden: true
    points: 3
    given:
      x: [[83174.2969, -2.7182e-5], [918273645546, 4.0]]
      zqxnamejvk: zqxtextjvk
    call: double(x) + len('zqxcalljvk') - 10  # zqxcallcommentjvk
    expect: [[59263.7183, 1.0], [2.0, 3.0]]
    tolerance: {atol: 6.1938e-4}
  - id: zqxsecondidjvk
    description: zqxseconddescriptionjvk
    hidden: true
    disclose: inputs
    seeds: 7
    given: |
      zqxvariablejvk = 47261.5839  # zqxprogramjvk
      x = rng.standard_normal(3)
    call: double(x) - 2 * x
    expect: {zqxkeyjvk: zqxexpectedjvk}
  - id: zqxrunidjvk
    hidden: true
    disclose: nothing
    given: {x: 31597.4682}
    run: |
      print(double(x), 'zqxrunjvk')
    stdout: |
      63194.9364 zqxstdoutjvk
misconceptions:
  - id: zqxmistakejvk
    code: |
      def double(x):
          return 15263.9748  # zqxmistakecodejvk
    feedback: zqxfeedbackjvk
solution: |
  def double(x):
      return 2 * x  # zqxsolutionjvk 86421.9753
explanation: |
  zqxexplanationjvk and 97531.8642
""",
    # A hidden test that computes its expected value, and one that comes before the visible ones.
    "02-weights.yaml": """\
id: weights
title: Weigh
difficulty: advanced
xp: 7
instructions: Write `weights(Q, K)`.
defines: {weights: {reference: reference.attention:attention_weights}}
starter: |
  def weights(Q, K):
      ...
tests:
  - id: zqxfirstidjvk
    description: zqxfirstdescriptionjvk
    hidden: true
    given: {Q: [[27495.3816]], K: [[35864.1927]], zqxunusedjvk: zqxunusedtextjvk}
    call: weights(Q, K)
  - id: plain
    given: {Q: [[1.0]], K: [[1.0]]}
    call: weights(Q, K)
solution: zqxothersolutionjvk = 1
explanation: zqxotherexplanationjvk
""",
    "track.yaml": """\
# zqxtrackcommentjvk
id: canaries
title: Canaries
description: A track.
exercises: [double, weights]
lessons:
  - {id: by-two, title: By two, exercises: [double]}
""",
    # A lesson is public, whatever its cells do.
    "lessons/01-by-two.md": """\
# By two

zqxlessonjvk

```python
print("zqxprintedjvk", 45678.1234)
```
""",
}
LOOSE = """\
id: loose
title: zqxloosetitlejvk is in no track, so it has no page
difficulty: beginner
xp: 1
instructions: None.
defines: {f: {}}
starter: f = 1
tests: [{id: zqxlooseidjvk, call: f(), expect: 1, hidden: true}]
solution: zqxloosesolutionjvk = 1
explanation: zqxlooseexplanationjvk
"""

# A page names a misconception and says what unlocks it, so it has to know what comes of it.
PUBLIC_WORDS = {
    *("zqxvisiblejvk", "zqxlessonjvk", "zqxprintedjvk"),
    *(MISTAKE := ("zqxmistakejvk", "zqxfeedbackjvk")),
}
PUBLIC_NUMBERS = {64738.2917, 129476.5834, 45678.1234, 15263.9748}
PUBLIC = PUBLIC_WORDS | set(map(repr, PUBLIC_NUMBERS))
SOLUTION_WORDS = {
    *("zqxsolutionjvk", "zqxothersolutionjvk"),
    *("zqxexplanationjvk", "zqxotherexplanationjvk"),
}
SOLUTION_NUMBERS = {86421.9753, 97531.8642}
SOLUTIONS = SOLUTION_WORDS | set(map(repr, SOLUTION_NUMBERS))
TEXT = "\n".join([*EXERCISES.values(), LOOSE])
WORDS = set(re.findall("zqx[a-z]+jvk", TEXT))
NUMBERS = {float(word) for word in re.findall(r"\d{5,}\.\d+|\d\.\d{4}e-\d|\d{12}", TEXT)}


SEARCH = SecretSearch.of(WORDS, NUMBERS)
canaries = functools.cache(SEARCH.encoded)  # most files of one site are those of the next


def found_in(folder: Path) -> set[str]:
    """Name the canaries in the names and contents of all files of a folder."""
    found: set[str] = set()
    for path in folder.rglob("*"):
        found |= canaries(path.relative_to(folder).as_posix().encode())
        if path.is_file():
            found |= canaries(path.read_bytes())
    return found


@dataclass(frozen=True)
class Built:
    folder: Path
    printed: bytes


def build(base: Path, *options: str) -> Built:
    """Build the site of the canaries' collection, by the real command from an empty folder."""
    collection, output, elsewhere = base / "exercises", base / "out", base / "empty"
    for folder in (collection / "canaries" / "lessons", elsewhere):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in EXERCISES.items():
        (collection / "canaries" / name).write_text(text)
    (collection / "loose.yaml").write_text(LOOSE)
    words = ["site", "build", "--exercises", str(collection), "--output", str(output), *options]
    finished = subprocess.run(
        [sys.executable, "-m", "grader.cli", *words],
        cwd=elsewhere,
        env={**os.environ, "XDG_CACHE_HOME": str(base / "cache")},
        capture_output=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return Built(output, finished.stdout + finished.stderr)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The site as it is by default, with all that an address adds."""
    return build(tmp_path_factory.mktemp("canaries"), "--site-url", "https://example.org/etude/")


def test_there_is_a_canary_in_every_hidden_place() -> None:
    """The collection has what the search is for; no canary is part of another."""
    assert len(WORDS) == TEXT.count("zqx") == TEXT.count("jvk")
    assert len(NUMBERS) == 17
    for word in WORDS:
        assert not any(word in other for other in WORDS - {word})


@pytest.mark.slow
def test_only_public_canaries_are_in_the_site(built: Built) -> None:
    """No hidden one is in a page, an asset, a name or the build's notes; each public one is found."""
    assert found_in(built.folder) == PUBLIC


@pytest.mark.slow
def test_solutions_are_in_their_own_files_alone_while_they_are_asked_for(tmp_path: Path) -> None:
    """Nothing else that is hidden appears; the next build without the option removes them."""
    site = build(tmp_path, "--with-solutions").folder
    solutions = sorted(site.rglob("solution.json"))

    assert [path.parent.name for path in solutions] == ["double", "weights"]
    assert found_in(site) == PUBLIC | SOLUTIONS
    assert {each for path in solutions for each in SEARCH.plain(path.read_bytes())} == SOLUTIONS
    for path in solutions:
        path.unlink()
    assert found_in(site) == PUBLIC

    build(tmp_path)
    assert not list(site.rglob("solution.json"))
    assert found_in(site) == PUBLIC


def test_the_data_of_a_page_is_searched(built: Built) -> None:
    """The data for the page's Python are searched in whatever form they come."""
    folder = built.folder / "canaries/double"
    data = json.loads((folder / "exercise.json").read_bytes())

    assert (data["solution"], data["asks"]) == (None, {})
    found = canaries((folder / data["engine"]).read_bytes())
    assert found == {*map(repr, PUBLIC_NUMBERS - {45678.1234}), *MISTAKE}


def test_no_canary_is_printed(built: Built) -> None:
    """The command prints nothing hidden either."""
    assert canaries(built.printed) <= PUBLIC


@pytest.mark.slow
def test_a_canary_in_a_file_s_name_would_be_found(built: Built, tmp_path: Path) -> None:
    """A page for a hidden test would show by its address."""
    site = tmp_path / "site"
    shutil.copytree(built.folder, site)
    (site / "zqxcallidjvk").mkdir()
    assert found_in(site) == PUBLIC | {"zqxcallidjvk"}
