"""The picture of the site."""

import json
from io import BytesIO

import matplotlib.image
import numpy as np
import pytest

from sitegen.picture import draw_png, list_arcs

GROUND, AMBER = (11, 22, 32), (245, 180, 84)
RECORD = json.dumps(
    {"prompt": "ab", "steps": [{"letter": "c", "heads": ["0z", "0z0", "1z", "zz0"]}]}
)


def test_an_arc_leads_to_each_letter_that_a_head_looks_at() -> None:
    """The letters of the prompt, and those with tiny weights, have no arcs."""
    assert [
        (round(wide / list_arcs(RECORD)[0][1]), weight, block)
        for _, wide, _, weight, block in list_arcs(RECORD)
    ] == [
        (1, 1.0, 0),
        (2, 1.0, 0),
        (1, 1.0, 1),
        (2, 1.0, 1),
    ]


def test_the_picture_is_a_png_with_the_arcs_in_it() -> None:
    """An arc has the colour of its block at its top, and nothing inside."""
    image = matplotlib.image.imread(BytesIO(draw_png([(600.0, 200.0, 200.0, 1.0, 0)])))

    assert image.shape == (630, 1200, 3)
    top, inside = image[575 - 200, 600] * 255, image[500, 600] * 255
    assert inside == pytest.approx(np.array(GROUND), abs=1)
    assert top == pytest.approx(0.1 * np.array(GROUND) + 0.9 * np.array(AMBER), abs=2)
