"""A small GPT in a page, which writes text with a learner's own functions."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from grader.browser.page_child import PageChild
from grader.grading.feedback import outcome_sentences
from grader.grading.program.loaded_program import ending_problem, loading_problem
from grader.grading.submissions.program_text import ProgramText
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import Answer, ChildGoneError, Raised, Returned
from grader.sandbox.limits import DEFAULT_LIMITS

_SECONDS: Final = 8  # CPU seconds for one request: the page itself ends Python after ten seconds
# The letter between two tales in the training text, so a new text begins after it.
_START: Final = "\n"
_MAIN_FILE: Final = "own_gpt.py"
_MAX_CHOICES: Final = 6  # the number of candidates for the next letter that the page shows
# One digit encodes an attention weight, in steps of 1 / 35.
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class GptModel:
    """A trained model, and the program that writes text with it."""

    program: str  # imports the learner's functions; each file has the name of its exercise
    parts: Mapping[str, str]  # the name of the learner's function, by exercise
    programs: Mapping[str, Mapping[str, str]]  # by exercise: its "reference" and its mistakes
    letters: str
    settings: tuple[Any, ...]  # the first arguments of the program's `set_up`

    @classmethod
    def read(cls, text: str) -> "GptModel":
        """Read the JSON of `sitegen.own_gpt_page`, in which each array is bytes of float16."""
        facts = json.loads(text)
        program, parts, programs, arrays = map(
            facts.pop, ("program", "parts", "programs", "arrays")
        )
        weights = {
            name: np.frombuffer(base64.b64decode(data), dtype="<f2").reshape(shape).astype(float)
            for name, (shape, data) in arrays.items()
        }
        return cls(program, parts, programs, facts["letters"], (weights, facts))

    def without_unknown(self, text: str) -> str:
        """Remove the letters that the model does not know from a text."""
        return "".join(letter for letter in text if letter in self.letters)


@dataclass(frozen=True, slots=True)
class GeneratedLetter:
    """The next letter, its most probable alternatives, and the attention of each head."""

    letter: str
    choices: list[tuple[str, float]]  # letters and their probabilities, the highest first
    heads: list[str]  # for each head, a digit of `_DIGITS` for each letter of the text so far
    counts: list[int]  # numbers of accepted drafts, of all drafts and of model runs in this text


@dataclass(frozen=True, slots=True)
class GptProblem:
    """The reason why the model cannot write, for the learner, and the exercise at fault."""

    message: str
    exercise: str | None


class LearnerGpt:
    """The model with the functions of one learner.

    Args:
        sources: The learner's code by exercise. The switch of an exercise without code is off.
    """

    facts: Mapping[str, list[float]]  # measurements for each switch; see the program's `set_up`

    def __init__(self, model: GptModel, sources: Mapping[str, str]) -> None:
        self._model = model
        parts = [(_MAIN_FILE, model.program)]
        parts += [(f"{part.replace('-', '_')}.py", sources.get(part, "")) for part in model.parts]
        self._switches = [part for part in model.parts if part in sources]
        source = "\n".join(f"# etude file: {name}\n{code}" for name, code in parts)
        submission = Submission.from_bytes(Path(_MAIN_FILE), source.encode())
        self._text = ProgramText.from_submission(submission)
        self._child = PageChild(replace(DEFAULT_LIMITS, cpu_seconds=_SECONDS))

    def close(self) -> None:
        """Remove the learner's code."""
        self._child.close()

    def begin(self, prompt: str, *, seed: int, is_new: bool) -> GptProblem | None:
        """Begin a text.

        Args:
            is_new: Whether the code has to be loaded first.
        """
        tokens = [self._model.letters.index(character) for character in _START + prompt]
        steps: list[tuple[str, list[Any]]] = [("begin", [tokens, seed])]
        try:
            if is_new:
                answer = self._child.load(self._text.source, [])
                if problem := self._find_problem(answer):
                    return problem
                steps.insert(0, ("set_up", [*self._model.settings, self._switches]))
            for name, arguments in steps:
                answer = self._child.call(name, arguments, {})
                if problem := self._find_problem(answer):
                    return problem
                if name == "set_up" and isinstance(answer, Returned):
                    self.facts = answer.value
        except ChildGoneError as error:
            return self._explain_ending(error)
        return None

    def write_letter(self, *, temperature: float, top_k: int) -> GeneratedLetter | GptProblem:
        """Write the next letter of the text."""
        self._child.forget_output()
        try:
            answer = self._child.call("next_token", [temperature, top_k], {})
        except ChildGoneError as error:
            return self._explain_ending(error)
        problem = self._find_problem(answer)
        if problem is not None or not isinstance(answer, Returned):
            return problem or GptProblem(outcome_sentences.NO_LETTER, None)
        token, probabilities, weights, counts = answer.value
        letters = self._model.letters
        best = np.argsort(-probabilities, kind="stable")[:_MAX_CHOICES]
        choices = [(letters[at], round(float(probabilities[at]), 3)) for at in best]
        return GeneratedLetter(letters[token], choices, list(map(_encode_weights, weights)), counts)

    def _explain_ending(self, error: ChildGoneError) -> GptProblem:
        problem = ending_problem(error, self._text)
        return GptProblem(problem.sentence(), self._exercise(problem.line))

    def _find_problem(self, answer: Answer) -> GptProblem | None:
        if not isinstance(answer, Raised):
            return None
        match answer.type, answer.args:
            case "WrongResult", (str(name), str(sentence)):
                exercises = {function: part for part, function in self._model.parts.items()}
                return GptProblem(sentence, exercises.get(name))
        # Without the source, the sentence says nothing about loading: the functions run, too.
        problem = loading_problem(answer, replace(self._text, source=""))
        return GptProblem(problem.sentence(), self._exercise(problem.line))

    def _exercise(self, line: int | None) -> str | None:
        """Return the exercise whose code contains a line of the joined source."""
        place = self._text.locate(line) if line else None
        names = {f"{part.replace('-', '_')}.py": part for part in self._model.parts}
        return names.get(str(place[0])) if place else None


def _encode_weights(weights: Any) -> str:
    shares = np.nan_to_num(np.asarray(weights, dtype=float)).clip(0, 1)
    return "".join(_DIGITS[round(share * (len(_DIGITS) - 1))] for share in shares)
