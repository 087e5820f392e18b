"""A small GPT that writes with a learner's own functions, in a page."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from grader.browser.gpt_parts import PARTS
from grader.browser.page_child import PageChild
from grader.grading.feedback import outcome_sentences
from grader.grading.program.loaded_program import problem_of
from grader.grading.program.notebook_program import PartLines
from grader.grading.results.submission import Submission
from grader.sandbox.answers import Answer, ChildGoneError, Raised, Returned
from grader.sandbox.limits import DEFAULT_LIMITS

_SECONDS: Final = 8  # a page ends Python after ten
_START: Final = "\n"  # between two tales
_MAIN_FILE: Final = "own_gpt.py"
_MAIN: Final = '''\
"""Your own GPT: the functions that you wrote, put together."""

import inspect

import causal_attention
import gelu as gelu_
import layer_norm as layer_norm_
import numpy as np
import scrambled_heads
import split_heads as split_heads_
import temperature_sampling
import tiny_gpt
import top_k_top_p


class WrongResult(Exception):
    pass


def call(module, name, shape, *arguments):
    """Call a function of yours; its result must have this shape."""
    function = getattr(module, name, None)
    if function is None:
        raise WrongResult(name, None, list(shape))
    result = function(*arguments)
    if name == "apply_causal_attention" and isinstance(result, tuple):
        result = result[0]
    found = list(result.shape) if isinstance(result, np.ndarray) else type(result).__name__
    if found != list(shape):
        raise WrongResult(name, found, list(shape))
    return result


def layer_norm(x, gain, bias):
    return call(layer_norm_, "layer_norm", x.shape, x, gain, bias)


def network(x, W1, b1, W2, b2):
    hidden = x @ W1 + b1
    return call(gelu_, "gelu", hidden.shape, hidden) @ W2 + b2


def attention(x, W_Q, W_K, W_V, W_O, heads, mask):
    n, d = x.shape
    shape = (heads, n, d // heads)
    Q, K, V = (call(split_heads_, "split_heads", shape, x @ W, heads) for W in (W_Q, W_K, W_V))
    found = [
        call(causal_attention, "apply_causal_attention", q.shape, q, k, v)
        for q, k, v in zip(Q, K, V)
    ]
    return call(scrambled_heads, "merge_heads", (n, d), np.stack(found)) @ W_O


# The helpers that came with the last exercise give way to what you wrote yourself.
for helper in (layer_norm, network, attention):
    given = getattr(tiny_gpt, helper.__name__, None)
    if callable(given) and str(inspect.signature(given)) == str(inspect.signature(helper)):
        setattr(tiny_gpt, helper.__name__, helper)


class Text:
    """The text so far, and the probabilities of the next character."""


def set_up(parameters, heads):
    Text.parameters, Text.heads = parameters, heads


def begin(tokens, temperature, k, seed):
    Text.tokens, Text.temperature, Text.k = tokens, temperature, k
    Text.rng = np.random.default_rng(seed)


def next_token():
    E, P, _, _ = Text.parameters
    tokens = np.array(Text.tokens[-len(P) :])
    shape = (len(tokens), len(E))
    logits = call(tiny_gpt, "gpt", shape, tokens, Text.parameters, Text.heads)[-1]
    logits = call(top_k_top_p, "top_k_filter", logits.shape, logits, Text.k)
    p = call(temperature_sampling, "token_probabilities", logits.shape, logits, Text.temperature)
    sums = np.cumsum(p)
    token = int(np.searchsorted(sums, Text.rng.random() * sums[-1], side="right"))
    Text.tokens.append(min(token, len(p) - 1))
    return Text.tokens[-1]
'''


@dataclass(frozen=True, slots=True)
class Weights:
    """A trained model: its letters, and the parameters in the form of the exercise `tiny-gpt`."""

    letters: str
    heads: int
    parameters: tuple[Any, ...]

    @classmethod
    def read(cls, text: str) -> "Weights":
        """Read what `scripts/train_tiny_gpt.py` wrote."""
        facts = json.loads(text)
        p: dict[str, Any] = {
            name: np.frombuffer(base64.b64decode(data), dtype=np.int8).reshape(shape) * scale
            for name, (shape, scale, data) in facts["arrays"].items()
        }
        blocks = tuple(
            (
                tuple(p[f"{name}{b}"] for name in "QKVO"),
                (p[f"f{b}g"], p[f"f{b}b"]),
                (p[f"W{b}"], p[f"w{b}"], p[f"X{b}"], p[f"x{b}"]),
                (p[f"s{b}g"], p[f"s{b}b"]),
            )
            for b in range(facts["blocks"])
        )
        parameters = (p["E"], p["P"], blocks, (p["ng"], p["nb"]))
        return cls(facts["letters"], facts["heads"], parameters)

    def known(self, text: str) -> str:
        """Return a text without the letters that the model does not know."""
        return "".join(letter for letter in text if letter in self.letters)


@dataclass(frozen=True, slots=True)
class Problem:
    """The reason why the model cannot write, for the learner, and the exercise to go to."""

    message: str
    exercise: str | None


class OwnGpt:
    """The model with the functions of one learner.

    Args:
        sources: The learner's code by exercise.
    """

    def __init__(self, weights: Weights, sources: Mapping[str, str]) -> None:
        self._weights = weights
        parts = [(_MAIN_FILE, _MAIN)]
        parts += [(f"{each.replace('-', '_')}.py", sources[each]) for each in PARTS]
        self._source = "\n".join(f"# etude file: {name}\n{code}" for name, code in parts)
        submission = Submission.from_bytes(Path(_MAIN_FILE), self._source.encode())
        self._lines = PartLines.of(submission)
        self._child = PageChild(replace(DEFAULT_LIMITS, cpu_seconds=_SECONDS))

    def close(self) -> None:
        """Remove the learner's code."""
        self._child.close()

    def begin(
        self, prompt: str, *, temperature: float, top_k: int, seed: int, is_new: bool
    ) -> Problem | None:
        """Begin a text, and load the code first if it is new."""
        tokens = [self._weights.letters.index(each) for each in _START + prompt]
        steps: list[tuple[str, list[Any]]] = [("begin", [tokens, temperature, top_k, seed])]
        try:
            if is_new:
                answer = self._child.load(self._source, [])
                if problem := self._problem(answer):
                    return problem
                steps.insert(0, ("set_up", [self._weights.parameters, self._weights.heads]))
            for name, arguments in steps:
                if problem := self._problem(self._child.call(name, arguments, {})):
                    return problem
        except ChildGoneError as error:
            return self._ended(error)
        return None

    def next_letter(self) -> str | Problem:
        """Write one letter more."""
        self._child.forget_output()
        try:
            answer = self._child.call("next_token", [], {})
        except ChildGoneError as error:
            return self._ended(error)
        problem = self._problem(answer)
        if problem is not None or not isinstance(answer, Returned):
            return problem or Problem(outcome_sentences.NO_LETTER, None)
        return self._weights.letters[answer.value]

    def _ended(self, error: ChildGoneError) -> Problem:
        sentence = outcome_sentences.gone(error, self._source)
        line = outcome_sentences.line_of(error, self._source)
        return Problem(self._lines.sentence(sentence), self._exercise(line))

    def _problem(self, answer: Answer) -> Problem | None:
        if not isinstance(answer, Raised):
            return None
        if answer.type == "WrongResult" and answer.args:
            name, found, expected = answer.args
            exercise = next(each for each, function in PARTS.items() if function == name)
            return Problem(outcome_sentences.wrong_part(name, found, expected), exercise)
        problem = problem_of(answer)
        return Problem(self._lines.sentence(problem.sentence()), self._exercise(problem.line))

    def _exercise(self, line: int | None) -> str | None:
        """Return the exercise whose code has a line."""
        place = self._lines.place(line) if line else None
        names = {f"{each.replace('-', '_')}.py": each for each in PARTS}
        return names.get(str(place[0])) if place else None
