import numpy as np

from reference.patches import image_to_patches, patches_to_image
from tests.reference.conftest import Recorded


def test_patches_are_those_of_torch(recorded: Recorded) -> None:
    """Patches come row by row, and so do their pixels, each with its channels."""
    case = recorded("training", "patches")

    patches = image_to_patches(case.inputs["images"], 3)

    assert np.array_equal(patches, case.outputs["patches"])
    assert np.array_equal(patches_to_image(patches, 6, 9, 3), case.inputs["images"])


def test_results_are_new_arrays() -> None:
    """Also where every patch is a whole picture, and nothing has to be moved."""
    images = np.ones((2, 3, 3, 1), dtype=np.float32)

    patches = image_to_patches(images, 3)

    assert patches.dtype == np.float32
    assert not np.shares_memory(patches, images)
    assert not np.shares_memory(patches_to_image(patches, 3, 3, 3), patches)
