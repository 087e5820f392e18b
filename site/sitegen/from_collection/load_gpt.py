"""The loading of the page "Your own GPT" from the folder of a track."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from grader.definitions.decode import decode
from grader.definitions.files import read_file
from grader.definitions.track import Track
from grader.definitions.yaml_source import read_yaml
from grader.errors import DefinitionError, Location
from sitegen.own_gpt_page import GptDefinition, GptPage

GPT_FOLDER: Final = "own-gpt"  # beside the `track.yaml` of the track that has the page


def find_gpt(tracks: Iterable[Track]) -> GptDefinition | None:
    """Load the GPT of the first track that has one.

    Raises:
        UsageError, DefinitionError: See `load_gpt`.
    """
    folders = (track.definition.where.path.parent for track in tracks)
    return next((load_gpt(folder) for folder in folders if (folder / GPT_FOLDER).is_dir()), None)


def load_gpt(track_folder: Path) -> GptDefinition:
    """Load the GPT of a track.

    Raises:
        UsageError: A file is missing.
        DefinitionError: A file is not valid.
    """
    folder = track_folder / GPT_FOLDER
    page = decode(read_yaml(folder / "page.yaml"), GptPage)
    program = read_file(folder / "program.py").decode("utf-8", "replace")
    weights_file = folder / "weights.json"
    try:
        weights = json.loads(weights_file.read_bytes())
    except ValueError as error:
        raise DefinitionError.at(Location(weights_file), f"not valid JSON: {error}") from None
    if not isinstance(weights, dict):
        raise DefinitionError.at(Location(weights_file), "expected a JSON object")
    return GptDefinition(track_folder.name, page, program, weights)
