"""Pictures as sequences: square patches, each a vector that a transformer reads as a token."""

import numpy as np
from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.shapes import Shape


def image_to_patches(images: ArrayLike, size: int) -> FloatArray:
    """Cut pictures into square patches and write the pixels of each patch in a row.

        patches[r * columns + c] = image[r * size : (r + 1) * size, c * size : (c + 1) * size]

    Patches come row by row, and so do the pixels of a patch, each with all of its channels.

    Args:
        images: Pictures of shape (..., height, width, channels).
        size: The height and width of a patch, in pixels; it divides both height and width.

    Returns:
        A new array of shape (..., height * width / size^2, size^2 * channels). Floating-point
        dtypes stay; integers become float64.

    Raises:
        TypeError: If `images` does not hold real numbers.
        ValueError: If there are fewer than three axes, or `size` does not divide height and width;
            names the shape.

    Source:
        Dosovitskiy et al., "An Image is Worth 16x16 Words" (2020), arXiv:2010.11929, section 3.1.
    """
    pixels = as_floating(images)  # (..., height, width, channels)
    rows, columns = _grid(pixels.shape[-3:], size)
    *batch, _, _, channels = pixels.shape
    grid = pixels.reshape(*batch, rows, size, columns, size, channels)
    by_patch = np.swapaxes(grid, -4, -3)  # (..., rows, columns, size, size, channels)
    return by_patch.reshape(*batch, rows * columns, size * size * channels).copy()


def patches_to_image(patches: ArrayLike, height: int, width: int, size: int) -> FloatArray:
    """Put pictures together from their patches; the inverse of `image_to_patches`.

        patches_to_image(image_to_patches(image, size), height, width, size) = image

    Args:
        patches: An array of shape (..., height * width / size^2, size^2 * channels).
        height: The height of the pictures, in pixels.
        width: The width of the pictures, in pixels.
        size: The height and width of a patch, in pixels.

    Returns:
        A new array of shape (..., height, width, channels). Floating-point dtypes stay; integers
        become float64.

    Raises:
        TypeError: If `patches` does not hold real numbers.
        ValueError: If `size` does not divide height and width, or the patches do not fill the
            pictures; names the shape.

    Source:
        The inverse of Dosovitskiy et al. (2020), arXiv:2010.11929, section 3.1; He et al., "Masked
        Autoencoders Are Scalable Vision Learners" (2021), arXiv:2111.06377, section 3.
    """
    vectors = as_floating(patches)  # (..., rows * columns, size * size * channels)
    rows, columns = _grid((height, width, 1), size)
    if vectors.ndim < 2 or vectors.shape[-2] != rows * columns or vectors.shape[-1] % size**2:  # noqa: PLR2004  patches and pixels
        raise ValueError(
            f"a picture of {height} by {width} has {rows * columns} patches of {size} by {size} "
            f"pixels, got patches of shape {vectors.shape}"
        )
    *batch, _, numbers = vectors.shape
    channels = numbers // size**2
    by_patch = vectors.reshape(*batch, rows, columns, size, size, channels)
    grid = np.swapaxes(by_patch, -4, -3)  # (..., rows, size, columns, size, channels)
    return grid.reshape(*batch, height, width, channels).copy()


def _grid(shape: Shape, size: int) -> tuple[int, int]:
    """Return the number of patches below each other and beside each other."""
    if len(shape) != 3 or size < 1 or shape[0] % size or shape[1] % size:  # noqa: PLR2004  height, width, channels
        raise ValueError(
            f"patches of {size} by {size} pixels need pictures of (height, width, channels) that "
            f"they divide, got pictures of shape {shape}"
        )
    return shape[0] // size, shape[1] // size
