import numpy as np


def softmax_backward(d_output, weights):
    eye = np.eye(weights.shape[-1], dtype=weights.dtype)
    jacobian = weights[..., :, None] * (eye - weights[..., None, :])
    return np.einsum("...i,...ij->...j", d_output, jacobian)
