"""The definition of the page "Your own GPT"."""

import shutil
from pathlib import Path

import pytest

from grader.definitions.files import default_folder
from grader.errors import DefinitionError
from sitegen.from_collection.load_gpt import GPT_FOLDER, load_gpt


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("page.yaml", "gelu: gelu", "gelu: [gelu]", "page.yaml:10:9: gelu: expected a string"),
        ("page.yaml", "function: quantize", "name: quantize", "unknown key 'name' in this mapping"),
        ("page.yaml", "top_k: 10, ", "", "missing key 'top_k' in this mapping"),
        ("page.yaml", "settings: {", "settings: {{", "page.yaml:"),
        ("weights.json", "{", "", "not valid JSON"),
    ],
)
def test_what_is_wrong_with_the_page_is_told_with_its_place(
    tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    """In place of a traceback: a key that is missing or unknown, a wrong type, broken JSON."""
    folder = shutil.copytree(default_folder() / "attention" / GPT_FOLDER, tmp_path / GPT_FOLDER)
    text = (folder / name).read_text("utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DefinitionError) as caught:
        load_gpt(tmp_path)
    assert message in str(caught.value)
