"""A learner's own GPT, in this process: what it writes, and what it says of wrong functions."""

import functools
import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.browser import page
from grader.definitions.collection import find_exercise
from grader.definitions.files import default_folder
from sitegen.from_collection.load_gpt import load_gpt
from sitegen.from_collection.own_gpt_record import record_gpt

GPT = load_gpt(default_folder() / "attention")
EXERCISES = {
    each: find_exercise(each, default_folder()) for each in (*GPT.page.parts, *GPT.page.switches)
}
SOLUTIONS = {name: EXERCISES[name].solution for name in GPT.page.parts}
MODEL = GPT.model_json(
    {
        name: {"reference": each.solution} | {it.id: it.code for it in each.misconceptions}
        for name, each in EXERCISES.items()
    }
)
REFERENCE = dict.fromkeys(GPT.page.parts, "reference")
CACHE, INT8, DRAFTS = GPT.page.switches


@pytest.fixture(autouse=True)
def _weights() -> Iterator[None]:
    page.open_gpt(MODEL)
    yield
    page.begin_text(settings_json(sources=SOLUTIONS | {"gelu": "1 / 0"}))  # which removes the code


def settings_json(**changes: Any) -> str:
    return json.dumps({"sources": SOLUTIONS, "prompt": "Mia th", "seed": 1} | changes)


def write(count: int, temperature: float = 0.0, **changes: Any) -> str | dict[str, str]:
    """Return so many letters, or the problem."""
    problem = json.loads(page.begin_text(settings_json(**changes)))["problem"]
    letters = ""
    while not problem and len(letters) < count:
        found = json.loads(page.next_letter(json.dumps({"temperature": temperature, "top_k": 40})))
        letters, problem = letters + found.get("letter", ""), found["problem"]
    return problem or letters


def test_the_weights_and_the_solutions_write_a_tale() -> None:
    """The model is small, unknown letters are left out, and the temperature and the seed count."""
    assert len(GPT.model_json({})) < 250_000
    assert json.loads(page.begin_text(settings_json(prompt="Mia \u2603#")))["prompt"] == "Mia "
    coldest = write(20)
    assert coldest == "e duck lived by the "
    assert write(20, seed=2) == coldest
    hot = write(20, temperature=2.0)
    assert hot == write(20, temperature=2.0)
    assert hot != write(20, temperature=2.0, seed=2)


def test_a_letter_comes_with_its_choices_and_what_the_heads_looked_at() -> None:
    """Four heads of each of two blocks, with a digit for each letter that there was."""
    page.begin_text(settings_json(prompt="Mia the ", sources={}, names=REFERENCE))
    step = json.loads(page.next_letter(json.dumps({"temperature": 1.0, "top_k": 3})))
    assert [len(each) for each in step["heads"]] == [len("\nMia the ")] * 8
    assert len([share for _, share in step["choices"] if share]) == 3
    assert sum(share for _, share in step["choices"]) == pytest.approx(1, abs=0.002)
    assert step["letter"] in [letter for letter, _ in step["choices"]]


@pytest.mark.parametrize(
    ("exercise", "mistake"), [(e, m) for e in GPT.page.mistakes for m in GPT.page.mistakes[e]]
)
def test_a_mistake_on_purpose_changes_the_text(exercise: str, mistake: str) -> None:
    """And lets the model write on."""
    wrong = written_by(REFERENCE | {exercise: mistake})
    assert isinstance(wrong, str)
    assert wrong != right_text(exercise if exercise in GPT.page.switches else None)


@functools.cache
def right_text(switch: str | None) -> str | dict[str, str]:
    return written_by(REFERENCE | ({switch: "reference"} if switch else {}))


def written_by(names: dict[str, str]) -> str | dict[str, str]:
    return write(20, 1.5, sources={}, seed=6, prompt="Mia the ", names=names)


def switched_on(*switches: str, temperature: float = 0.6) -> tuple[str, list[int], dict[str, Any]]:
    """Return a tale with switches on, the counts at its end, and what each switch brings."""
    names = REFERENCE | dict.fromkeys(switches, "reference")
    facts = json.loads(page.begin_text(settings_json(sources={}, names=names, prompt="Mia the ")))[
        "facts"
    ]
    letters, counts = "", [0, 0, 0]
    settings = json.dumps({"temperature": temperature, "top_k": 10})
    while len(letters) < 130:  # more than a context, so that its window moves on
        step = json.loads(page.next_letter(settings))
        letters, counts = letters + step["letter"], step["counts"]
    return letters, counts, facts


def test_switches_keep_the_letters_that_they_promise_to_keep() -> None:
    """The cache changes none, drafts none at temperature 0, eight bits the loss little."""
    plain, counts, _ = switched_on()
    assert counts[:2] == [0, 0]
    cached, _, facts = switched_on(CACHE)
    assert cached == plain
    fast, slow, gap = facts[CACHE]
    assert fast > 1.5 * slow
    assert gap < 1e-9

    drafted, (accepted, drafts, runs), facts = switched_on(DRAFTS)
    assert 0.3 < accepted / drafts < 0.8
    assert accepted + runs >= 130 > 2 * runs
    assert max(facts[DRAFTS]) < 0.06  # of 1,000 letters
    assert switched_on(CACHE, DRAFTS)[0] == drafted
    assert switched_on(CACHE, DRAFTS, temperature=0.0)[0] == switched_on(CACHE, temperature=0.0)[0]

    names = REFERENCE | {INT8: "reference"}
    facts = json.loads(page.begin_text(settings_json(sources={}, names=names)))["facts"]
    size, smaller, loss, loss_in_eight_bits = facts[INT8]
    assert smaller < 0.52 * size
    assert 0 < loss_in_eight_bits - loss < 0.05


def test_a_record_is_what_the_page_would_write() -> None:
    """To the end of the tale."""
    settings: dict[str, Any] = {"prompt": "Then they all went home and slept. ", "seed": 1}
    text = record_gpt(MODEL, GPT.page.parts, temperature=0.6, top_k=40, **settings)
    written = "".join(step["letter"] for step in json.loads(text)["steps"])
    assert written.endswith(".\n")
    assert write(len(written), temperature=0.6, sources={}, names=REFERENCE, **settings) == written


@pytest.mark.parametrize(
    ("exercise", "old", "new", "said"),
    [
        (
            "split-heads", ".transpose(1, 0, 2)", "",
            "`split_heads` returned an array of shape (7, 4, 16), and an array of shape (4, 7, 16) is needed.",
        ),
        ("gelu", "return x", "x", "`gelu` returned nothing, and an array of shape (7, 128) is needed."),
        ("top-k-top-p", "rank < k", "rank < kk", "name 'kk' is not defined (line 19 of top_k_top_p.py"),
        ("temperature-sampling", "def token_", "def other_", "Your code does not define `token_probabilities`."),
        ("tiny-gpt", "@ E.T", "@ E", "Line 40 of tiny_gpt.py, in gpt: "),
        ("layer-norm", "import numpy", "imp ort numpy", "Python cannot read"),
        ("gelu", "return x", "return np.nan * x", "`gelu` returned NaN or infinity."),
        ("gelu", "return x", "return 1j * x", "`gelu` returned an array of dtype complex128, and an array of numbers is needed."),
        ("temperature-sampling", "return ", "return 0 * ", "`token_probabilities` returned numbers that are no probabilities."),
        (CACHE, "class Cached", "class Other", "Your code does not define `CachedAttention`."),
        (CACHE, "return weights @ values", "return weights", "`CachedAttention` returned an array of shape (72, 72), and an array of shape (72, 112) is needed."),
        (INT8, ".astype(np.int8), float", ".astype(np.int8)[0], float", "`quantize` returned an array of shape (64,)"),
        (INT8, "int(zero_point)", "int(zero_point), 1", "`quantize` has to return three things"),
        (DRAFTS, "return [*written,", "return [99, *written,", "`check_draft` has to return a list of 1 to 2 tokens, and returned [99, "),
        (DRAFTS, "written = []", "return []", "and returned []."),
    ],
)  # fmt: skip
def test_a_wrong_function_is_named(exercise: str, old: str, new: str, said: str) -> None:
    """In a sentence, with its exercise; right ones write again."""
    found = write(1, sources=SOLUTIONS | {exercise: EXERCISES[exercise].solution.replace(old, new)})
    assert isinstance(found, dict)
    assert found["exercise"] == exercise
    assert said in found["message"], found["message"]
    assert write(3) == "e d"


def test_a_helper_that_was_changed_stays_the_learners() -> None:
    """The page puts a function in the place of a helper only where it takes the same arguments."""
    own = SOLUTIONS["tiny-gpt"].replace(
        "layer_norm(x, gain, bias)", "layer_norm(x, gain, bias, eps=1e-5)"
    )
    broken = SOLUTIONS["layer-norm"].replace("return gain", "return 1 / 0 * gain")
    assert write(3, sources=SOLUTIONS | {"tiny-gpt": own, "layer-norm": broken}) == "e d"


@pytest.mark.slow
@pytest.mark.release
def test_training_lowers_the_loss_and_gives_the_same_weights_again() -> None:
    """The script that made the weights runs, and its letters are those that are shipped."""
    path = Path(__file__).parents[2] / "scripts" / "train_tiny_gpt.py"
    spec = importlib.util.spec_from_file_location("train_tiny_gpt", path)
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    letters, weights, loss = script.train(30)
    again = script.train(30)[1]
    assert loss < script.train(1)[2] - 0.2
    assert all((again[name] == value).all() for name, value in weights.items())
    shipped = json.loads(MODEL)
    assert shipped["letters"] == letters
    assert {name: each[0] for name, each in shipped["arrays"].items()} == {
        name: list(value.shape) for name, value in weights.items()
    }
