"""The backward pass of a transformer block, from its end to its start."""

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from numpy.typing import ArrayLike

from reference.arrays import FloatArray, as_floating
from reference.encoder import EncoderBlockParameters, attention_with, feed_forward_with, norm_with
from reference.feed_forward import FeedForwardParameters, feed_forward_backward
from reference.multi_head import MultiHeadParameters
from reference.multi_head_backward import multi_head_attention_backward
from reference.normalization import LayerNormParameters, layer_norm, layer_norm_backward
from reference.residual import Layer, post_norm, pre_norm

Gradients = TypeVar("Gradients")


class EncoderBlockGradients(NamedTuple):
    """The gradients of `encoder_block`."""

    x: FloatArray  # (..., n, d_model)
    parameters: EncoderBlockParameters


class _BothWays(NamedTuple, Generic[Gradients]):
    """A layer, and its backward pass, which takes d_output and x."""

    forward: Layer
    backward: Callable[[FloatArray, FloatArray], tuple[FloatArray, Gradients]]


def encoder_block_backward(
    d_output: ArrayLike,
    x: ArrayLike,
    parameters: EncoderBlockParameters,
    heads: int,
    mask: ArrayLike | None = None,
    *,
    norm_first: bool = False,
    activation: str = "relu",
) -> EncoderBlockGradients:
    """Carry the gradient of a loss back through `encoder_block`.

    It walks through the block from its end: the feed-forward half, then the attention half. At each
    sum the gradient splits, one copy past the layer and one through it, and both add up again.

    Args:
        d_output: The gradient with respect to the output, of shape (..., n, d_model).
        x: The inputs of the forward pass, of shape (..., n, d_model).
        parameters: As given to `encoder_block`.
        heads: As given to `encoder_block`.
        mask: As given to `encoder_block`.
        norm_first: As given to `encoder_block`.
        activation: As given to `encoder_block`.

    Returns:
        The gradients with respect to x and to all parameters.

    Raises:
        TypeError: If an input does not hold real numbers, or the mask neither booleans nor floats.
        ValueError: If shapes do not go together, naming both, or there is no such activation.

    Source:
        The chain rule applied to Vaswani et al. (2017), arXiv:1706.03762, section 3.1.
    """
    p = EncoderBlockParameters(*parameters)
    inputs, upstream = as_floating(x), as_floating(d_output)  # (..., n, d_model)
    attention = _attention(p.attention, heads, mask)
    network = _feed_forward(p.feed_forward, activation)
    connect = pre_norm if norm_first else post_norm
    attended = connect(inputs, attention.forward, norm_with(p.norm_1))  # (..., n, d_model)
    d_attended, d_network, d_norm_2 = _back(upstream, attended, network, p.norm_2, norm_first)
    d_x, d_attention, d_norm_1 = _back(d_attended, inputs, attention, p.norm_1, norm_first)
    return EncoderBlockGradients(
        d_x, EncoderBlockParameters(d_attention, d_norm_1, d_network, d_norm_2)
    )


def _attention(
    parameters: MultiHeadParameters, heads: int, mask: ArrayLike | None
) -> _BothWays[MultiHeadParameters]:
    def backward(d_output: FloatArray, x: FloatArray) -> tuple[FloatArray, MultiHeadParameters]:
        gradients = multi_head_attention_backward(d_output, x, *parameters, heads=heads, mask=mask)
        return gradients.x, MultiHeadParameters(*gradients[1:5])  # W_Q, W_K, W_V and W_O

    return _BothWays(attention_with(parameters, heads, mask), backward)


def _feed_forward(
    parameters: FeedForwardParameters, activation: str
) -> _BothWays[FeedForwardParameters]:
    def backward(d_output: FloatArray, x: FloatArray) -> tuple[FloatArray, FeedForwardParameters]:
        W1, b1, W2, _ = parameters
        d_x, *grads = feed_forward_backward(d_output, x, W1, b1, W2, activation=activation)
        return d_x, FeedForwardParameters(*grads)

    return _BothWays(feed_forward_with(parameters, activation), backward)


def _back(
    d_output: FloatArray,
    x: FloatArray,
    layer: _BothWays[Gradients],
    norm: LayerNormParameters,
    norm_first: bool,
) -> tuple[FloatArray, Gradients, LayerNormParameters]:
    """Go back through y = x + layer(norm(x)), or through y = norm(x + layer(x))."""
    gain, bias = norm
    if norm_first:
        d_normed, d_layer = layer.backward(d_output, layer_norm(x, gain, bias))
        through, d_gain, d_bias = layer_norm_backward(d_normed, x, gain)
        return d_output + through, d_layer, LayerNormParameters(d_gain, d_bias)
    d_sum, d_gain, d_bias = layer_norm_backward(d_output, x + as_floating(layer.forward(x)), gain)
    through, d_layer = layer.backward(d_sum, x)
    return d_sum + through, d_layer, LayerNormParameters(d_gain, d_bias)
