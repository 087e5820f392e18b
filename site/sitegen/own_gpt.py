"""The page on which the functions of a track form a small GPT."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import yaml

from grader.errors import DefinitionError, Location

GPT_FOLDER: Final = "own-gpt"  # beside the `track.yaml` of the track that has the page
MODEL: Final = "model.json"  # a file beside the page
RECORD: Final = "record.json"  # a file beside the page with the text written at build time


@dataclass(frozen=True, slots=True)
class GptDefinition:
    """The folder `own-gpt` of a track, whose `page.yaml` explains these fields."""

    parts: Mapping[str, str]
    switches: Mapping[str, Mapping[str, str]]
    mistakes: Mapping[str, Sequence[str]]
    settings: Mapping[str, Any]
    wrong_answer: tuple[str, str]
    program: str
    weights: Mapping[str, Any]

    @classmethod
    def load(cls, track_folder: Path) -> Self:
        """Load the definition of a track that has the folder.

        Raises:
            DefinitionError: The folder lacks a file, or a file is not valid.
        """
        folder = track_folder / GPT_FOLDER
        page, program, weights = (folder / n for n in ("page.yaml", "program.py", "weights.json"))
        try:
            return cls(
                **yaml.safe_load(page.read_text("utf-8")),
                program=program.read_text("utf-8"),
                weights=json.loads(weights.read_text("utf-8")),
            )
        except (OSError, TypeError, ValueError, yaml.YAMLError) as error:
            message = f"no page of a GPT can be made of this folder: {error}"
            raise DefinitionError.at(Location(folder), message) from None

    @property
    def functions(self) -> dict[str, str]:
        """The name of each function that the program imports, by exercise."""
        return {**self.parts, **{id_: switch["function"] for id_, switch in self.switches.items()}}

    def model_json(self, programs: Mapping[str, Mapping[str, str]]) -> str:
        """Return the model as `grader.browser.own_gpt` reads it: program, parts, weights.

        Args:
            programs: The programs that the page may have, by exercise: "reference", and some
                mistakes.
        """
        model = {"program": self.program, "parts": self.functions, "programs": programs}
        return json.dumps({**model, **self.weights}, ensure_ascii=False, separators=(",", ":"))
