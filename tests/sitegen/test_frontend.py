"""The committed scripts of the pages: what their sources and the lock give, byte for byte."""

import json
import math
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.reports.numerals import decimals_for, is_rounded, numeral
from grader.sandbox.in_child.literals import find_non_answer
from sitegen.shading import shade_for

ROOT = Path(__file__).parents[2]
FRONTEND = ROOT / "site" / "frontend"
ASSETS = ROOT / "site" / "assets"
HANDWRITTEN = {"theme.js"}

needs_node = pytest.mark.skipif(
    shutil.which("npm") is None, reason="npm is not installed, so the scripts cannot be rebuilt"
)


@pytest.fixture(scope="module")
def frontend(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources elsewhere, with the packages that the lock names."""
    copy = tmp_path_factory.mktemp("checkout") / "site" / "frontend"
    shutil.copytree(FRONTEND, copy, ignore=shutil.ignore_patterns("node_modules"))
    _npm(copy, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    return copy


@needs_node
@pytest.mark.slow
def test_a_fresh_build_gives_the_committed_scripts(frontend: Path) -> None:
    """No one has to trust a minified file: the sources give it, wherever they are built."""
    _npm(frontend, "run", "build")
    built = _contents(frontend.parent / "assets")
    committed = {name: content for name, content in _contents(ASSETS).items() if name in built}
    scripts = {path.name for path in ASSETS.glob("*.js")} - HANDWRITTEN
    assert scripts == {name for name in built if name.endswith(".js")}
    assert [name for name in built if built[name] != committed.get(name)] == []


@needs_node
@pytest.mark.slow
def test_the_sources_are_typed(frontend: Path) -> None:
    """The compiler finds nothing to object to, at its strictest."""
    _npm(frontend, "run", "check")


@needs_node
@pytest.mark.slow
def test_the_scripts_do_what_their_tests_say(frontend: Path) -> None:
    """Node's runner, for what needs no browser; some cases are shared with the Python tests."""
    _npm(frontend, "test")


def test_the_lock_has_hashes_and_no_addresses() -> None:
    """Anyone who installs gets the same packages, from the registry of their own choice."""
    text = (FRONTEND / "package-lock.json").read_text()
    packages = json.loads(text)["packages"]
    assert all("integrity" in entry for name, entry in packages.items() if name)
    assert "resolved" not in text
    assert "://" not in text


def test_the_licences_of_what_is_bundled_come_with_it() -> None:
    """Every package from which there is code in a script has its notice beside the scripts."""
    notice = (ASSETS / "licences.txt").read_text()
    packages = re.findall(
        r"^(\S+) \d+\.\d+\.\d+ \(MIT\)\n-+\n\n(.+?)\n", notice, flags=re.MULTILINE
    )
    assert {"@codemirror/state", "@codemirror/view", "@lezer/python", "style-mod"} <= {
        name for name, _ in packages
    }
    assert notice.count("Permission is hereby granted") == len(packages)


@needs_node
@pytest.mark.slow
def test_numbers_look_alike_in_results_and_on_pages(frontend: Path) -> None:
    """What a check shows has the same digits and the same colours as the page beside it."""
    chance = np.random.default_rng(0)
    lists: list[list[float]] = [
        [0.5, 0.25, 1.0],
        [0.03125, -0.03125, 0.00015, 2.00005],  # exactly between two numerals, and only nearly
        [0.025, 0.975, 0.525],  # exactly between two colours
        [-1.0, 0.75, math.inf, -math.inf, math.nan],
        [1e-5, -2.5e-7],
        [123456.0, 0.1],
        [-0.00001, 3.0],
        [0.0],
        *([chance.normal(0, 10 ** chance.uniform(-4, 5)) for _ in range(9)] for _ in range(200)),
        *([chance.random() for _ in range(9)] for _ in range(50)),
    ]
    program = """
        import { decimalsFor, isRounded, formatNumber } from "./src/numerals";
        import { createShade } from "./src/shading";
        show((lists) => lists.map((sent) => {
          const values = sent.map(Number);
          const decimals = decimalsFor(values);
          const text = values.map((value) => formatNumber(value, decimals));
          return { rounded: isRounded(values, decimals), text, shades: values.map(createShade(values)) };
        }));
    """
    sent = [[_number(value) for value in values] for values in lists]
    for values, shown in zip(lists, _in_node(frontend, program, sent), strict=True):
        decimals = decimals_for(values)
        assert shown == {
            "rounded": is_rounded(values, decimals),
            "text": [numeral(value, decimals) for value in values],
            "shades": list(map(shade_for(values), values)),
        }


def _number(value: float) -> str:
    return repr(value).replace("inf", "Infinity").replace("nan", "NaN")


ANSWERS = [
    ("3", True),
    ("-0.5", True),
    ("1e-3", True),
    ("+-2", True),
    ('"all zero"', True),
    ("'it''s'", True),
    ("(2, 3)", True),
    ("2, 3", True),
    ("(4,)", True),
    ("[[1, 2], [3.5, -4]]", True),
    ("{1, 2}", True),
    ("{'a': [1]}", True),
    ("True", True),
    ("None", True),
    ("np.nan", True),
    ("-np.inf", True),
    ("np.array([1, 2])", True),
    ("np.asarray((1, 2))", True),
    ("np.array(3)", False),
    ("np.array([1], dtype=float)", False),
    ("np.zeros(3)", False),
    ("1 + 1", False),
    ("1) + (1", False),
    ("[1, 2", False),
    ("f'{x}'", False),
    ("x := 3", False),
    ("[i for i in range(3)]", False),
    ("not True", False),
    ("{**{}}", False),
    ("(lambda: 3)()", False),
    ("np.e.real", False),
]


@needs_node
@pytest.mark.slow
def test_a_prediction_is_well_formed_where_the_grader_can_read_it(frontend: Path) -> None:
    """The page accepts the answers that the grader reads, and complains of the others."""
    program = """
        import { answerError } from "./src/solve/literals";
        show((answers) => answers.map((answer) => answerError(answer)));
    """
    troubles = _in_node(frontend, program, [answer for answer, _ in ANSWERS])

    for (answer, can_be_read), trouble in zip(ANSWERS, troubles, strict=True):
        assert (trouble == "") is can_be_read, f"{answer}: {trouble}"
        assert _grader_reads(answer) is can_be_read, answer


WORDS = {
    "error": '"error"',
    "half": '"half"',
    " all zero ": '"all zero"',
    "True": "True",
    "(2, 3)": "(2, 3)",
    '"error"': '"error"',
    "x.T": "x.T",
}


@needs_node
@pytest.mark.slow
def test_a_text_needs_no_quotes_in_a_field(frontend: Path) -> None:
    """Words that are not another value are a text, which is shown again without quotes."""
    program = """
        import { toAnswer, toLiteral } from "./src/solve/literals";
        show((answers) => answers.map((answer) => [toLiteral(answer), toAnswer(toLiteral(answer))]));
    """
    made = _in_node(frontend, program, list(WORDS))

    assert [literal for literal, _ in made] == list(WORDS.values())
    shown = ["error", "half", "all zero", "True", "(2, 3)", "error", "x.T"]
    assert [answer for _, answer in made] == shown


def _grader_reads(answer: str) -> bool:
    try:
        return find_non_answer(f"answer = {answer}\n", ["answer"]) is None
    except SyntaxError:
        return False


def _in_node(frontend: Path, program: str, data: object) -> Any:
    """Run a TypeScript program that shows what it makes of some data."""
    head = "const show = (f) => console.log(JSON.stringify(f(JSON.parse(process.argv[2]))));\n"
    entry, script = frontend / "entry.ts", frontend / "entry.mjs"
    entry.write_text(head + program)
    esbuild = frontend / "node_modules" / ".bin" / "esbuild"
    bundling = [str(esbuild), entry.name, "--bundle", "--format=esm", "--platform=node"]
    _run(frontend, *bundling, f"--outfile={script}", "--log-level=error")
    return json.loads(_run(frontend, "node", str(script), json.dumps(data)))


def _npm(folder: Path, *arguments: str) -> None:
    npm = shutil.which("npm")
    assert npm
    _run(folder, npm, *arguments)


def _run(folder: Path, *command: str) -> str:
    finished = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"CI": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
