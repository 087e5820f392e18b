"""A recurrent network with tanh: its states, and the gradient through time.

In the shapes, n counts time steps, d the features of an input, and h those of a state.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def recurrent_states(
    X: ArrayLike, W: ArrayLike, R: ArrayLike, b: ArrayLike, start: ArrayLike
) -> NDArray[np.float64]:
    """Compute the state after each input.

        s_t = tanh(x_t W + s_(t-1) R + b)

    Args:
        X: Inputs of shape (n, d).
        W: Weights of the input, of shape (d, h).
        R: Weights of the state before, of shape (h, h).
        b: Biases of shape (h,).
        start: The state before the first input, of shape (h,).

    Returns:
        States of shape (n, h), without `start`.

    Source:
        Elman, "Finding Structure in Time" (1990); Goodfellow, Bengio and Courville, "Deep Learning"
        (2016), equations 10.8 and 10.9.
    """
    state = np.asarray(start, dtype=np.float64)
    states = []
    for x in np.asarray(X):
        state = np.tanh(x @ np.asarray(W) + state @ np.asarray(R) + b)
        states.append(state)
    return np.array(states)


def gradient_through_time(
    states: ArrayLike, R: ArrayLike, start: ArrayLike, d_last: ArrayLike
) -> NDArray[np.float64]:
    """Differentiate a loss of the last state with respect to the weights of the state before.

    From the end to the beginning, with g the gradient of the loss with respect to s_t:

        a = g (1 - s_t^2);  d_R += outer(s_(t-1), a);  g = a R^T

    Args:
        states: States of shape (n, h), as `recurrent_states` returns them.
        R: Weights of the state before, of shape (h, h).
        start: The state before the first input, of shape (h,).
        d_last: The gradient of the loss with respect to the last state, of shape (h,).

    Returns:
        The gradient with respect to R, of shape (h, h).

    Source:
        Goodfellow, Bengio and Courville, "Deep Learning" (2016), equation 10.26.
    """
    all_states = np.vstack([np.asarray(start, dtype=np.float64), states])  # (n + 1, h)
    recurrent = np.asarray(R, dtype=np.float64)
    gradient = np.asarray(d_last, dtype=np.float64)  # (h,)
    d_R = np.zeros(recurrent.shape)
    for t in range(len(all_states) - 1, 0, -1):
        inner = gradient * (1.0 - all_states[t] ** 2)  # (h,)
        d_R += np.outer(all_states[t - 1], inner)
        gradient = recurrent @ inner
    return d_R
