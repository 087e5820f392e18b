"""The page on which the functions of a track form a small GPT."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

MODEL: Final = "model.json"  # a file beside the page
RECORD: Final = "record.json"  # a file beside the page with the text written at build time


@dataclass(frozen=True, slots=True)
class Switch:
    """An optional feature of the model, which an exercise asks for."""

    function: str
    note: str


@dataclass(frozen=True, slots=True)
class OpeningSettings:
    """The settings with which the page opens."""

    prompt: str
    temperature: float
    top_k: int
    seed: int


@dataclass(frozen=True, slots=True)
class WrongExample:
    """The misconception that the home page shows."""

    exercise: str
    misconception: str


@dataclass(frozen=True, slots=True)
class GptPage:
    """The file `page.yaml` in the folder `own-gpt` of a track, which explains these keys."""

    parts: Mapping[str, str]
    switches: Mapping[str, Switch]
    mistakes: Mapping[str, tuple[str, ...]]
    settings: OpeningSettings
    wrong_answer: WrongExample


@dataclass(frozen=True, slots=True)
class GptDefinition:
    """The folder `own-gpt` of a track: its page, the program that writes, and the weights."""

    track: str  # the track's id, which is the name of its folder
    page: GptPage
    program: str
    weights: Mapping[str, Any]

    @property
    def functions(self) -> dict[str, str]:
        """The name of each function that the program imports, by exercise."""
        switches = {name: switch.function for name, switch in self.page.switches.items()}
        return {**self.page.parts, **switches}

    def model_json(self, programs: Mapping[str, Mapping[str, str]]) -> str:
        """Return the model as `grader.browser.own_gpt` reads it: program, parts, weights.

        Args:
            programs: The programs that the page may have, by exercise: "reference", and some
                mistakes.
        """
        model = {"program": self.program, "parts": self.functions, "programs": programs}
        return json.dumps({**model, **self.weights}, ensure_ascii=False, separators=(",", ":"))
