"""The text that the model of the page "Your own GPT" writes during the build of a site."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

from grader.browser.own_gpt import GptModel, GptProblem, LearnerGpt
from grader.errors import GraderFault

_MAX_LETTERS: Final = 300  # a tale has about 200 letters
_END: Final = "\n"


def record_gpt(
    text: str, parts: Iterable[str], prompt: str, *, temperature: float, top_k: int, seed: int
) -> str:
    """Return as JSON the text that a model writes with the reference's functions.

    Args:
        text: The JSON of the model with its programs.
        parts: The exercises whose functions the model needs.

    Raises:
        GraderFault: The model failed to write.
    """
    model = GptModel.read(text)
    gpt = LearnerGpt(model, {part: model.programs[part]["reference"] for part in parts})
    steps: list[Any] = []
    try:
        problem = gpt.begin(prompt, seed=seed, is_new=True)
        while problem is None and len(steps) < _MAX_LETTERS:
            step = gpt.write_letter(temperature=temperature, top_k=top_k)
            if isinstance(step, GptProblem):
                problem = step
            else:
                steps.append(
                    {name: value for name, value in asdict(step).items() if name != "counts"}
                )
                if step.letter == _END:
                    break
    finally:
        gpt.close()
    if problem is not None:
        raise GraderFault(f"the model of “Your own GPT” does not write: {problem.message}")
    return json.dumps({"prompt": prompt, "steps": steps})
