"""Layers for images: convolution, and the gradient of max pooling."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def convolve_images(images: Floats, kernels: Floats, bias: Floats, padding: int = 0) -> Floats:
    """Slide every kernel over every image; kernels are not flipped.

    Args:
        images: Of shape (n, c_in, h, w).
        kernels: Of shape (c_out, c_in, k_h, k_w), no larger than the padded images.
        bias: Of shape (c_out,).
        padding: How many rows and columns of zeros go on each side.

    Returns:
        An array of shape (n, c_out, h + 2 padding - k_h + 1, w + 2 padding - k_w + 1).

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), equation 9.6.
    """
    padded = np.pad(images, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = sliding_window_view(padded, kernels.shape[2:], axis=(2, 3))  # (n, c_in, H, W, k, k)
    scores: Floats = np.einsum("ncyxij,ocij->noyx", windows, kernels, optimize=True)
    return scores + bias[:, np.newaxis, np.newaxis]


def max_pool_gradient(d_output: Floats, images: Floats, size: int) -> Floats:
    """Carry a gradient back through the maximum of tiles of size by size.

    Each number goes to the first place, row by row, that has the maximum of its tile.

    Args:
        d_output: Of shape (n, h / size, w / size).
        images: The inputs of the layer, of shape (n, h, w); size divides h and w.
        size: The length of the sides of a tile.

    Returns:
        An array of shape (n, h, w).

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), section 9.3.
    """
    n, h, w = images.shape
    tiles = images.reshape(n, h // size, size, w // size, size).swapaxes(2, 3)
    flat = tiles.reshape(n, h // size, w // size, size * size)
    result = np.zeros_like(flat, dtype=d_output.dtype)
    first = flat.argmax(axis=-1)[..., np.newaxis]
    np.put_along_axis(result, first, d_output[..., np.newaxis], axis=-1)
    parts = result.reshape(n, h // size, w // size, size, size).swapaxes(2, 3)
    return parts.reshape(n, h, w)
