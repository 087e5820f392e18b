"""Draw the pictures of the instructions. Run it from anywhere, where matplotlib is installed:

    python scripts/draw_pictures.py
"""

import io
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from PIL import Image

mpl.use("agg")

import matplotlib.pyplot as plt

PICTURES = Path(__file__).parents[1] / "pictures"
INK, GREY, PALE, BLUE, ORANGE = "#222222", "#696969", "#9a9a9a", "#1f5fa8", "#b8520f"


def draw_convolution() -> None:
    """Draw a kernel on an image with a border of zeros, at two places, and the result."""
    image = np.array([[3, 1, 0, 2], [0, 2, 4, 1], [5, 1, 0, 3]])
    kernel = np.array([[-1, 0, 1], [-1, 0, 1], [-1, 0, 1]])
    padded = np.pad(image, 1)
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel.shape)
    result = np.einsum("rsij,ij->rs", windows, kernel)
    widths = [padded.shape[1], kernel.shape[1], result.shape[1]]
    figure, axes = plt.subplots(
        1, 3, figsize=(5.4, 2.2), width_ratios=widths, layout="constrained"
    )
    figure.get_layout_engine().set(h_pad=0.08)
    titles = ("image, padding = 1", "kernel", "result")
    for axis, values, title in zip(axes, (padded, kernel, result), titles, strict=True):
        height, width = values.shape
        axis.set(xlim=(-0.1, width + 0.1), ylim=(height + 0.1, -0.1), aspect="equal")
        axis.set_title(title, fontsize=11, color=INK)
        axis.axis("off")
        for (row, column), value in np.ndenumerate(values):
            is_border = axis is axes[0] and not (
                0 < row < height - 1 and 0 < column < width - 1
            )
            box(axis, column, row, 1, PALE, 0.8)
            text = str(value).replace("-", "−")
            colour = GREY if is_border else INK
            axis.text(column + 0.5, row + 0.53, text, ha="center", va="center", color=colour)
    for (row, column), colour in (((0, 0), BLUE), ((2, 3), ORANGE)):
        box(axes[0], column, row, 3, colour, 2.2)
        box(axes[2], column, row, 1, colour, 2.2)
    with io.BytesIO() as drawn:
        figure.savefig(drawn, dpi=180)
        few = Image.open(drawn).convert("RGB").quantize(16)  # a third of the bytes
        few.save(PICTURES / "convolution.png", optimize=True)
    plt.close(figure)


def box(axis: Axes, column: float, row: float, size: int, colour: str, line: float) -> None:
    """Draw a square whose upper left corner is there."""
    axis.add_patch(
        Rectangle((column, row), size, size, fill=False, edgecolor=colour, linewidth=line)
    )


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    draw_convolution()
