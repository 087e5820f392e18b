"""Promises that the functions of this package share, checked for each of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reference.attention import attention_weights, causal_attention, scaled_dot_product_attention
from reference.attention_backward import attention_backward
from reference.attention_steps import attention_steps
from reference.cross_attention import cross_attention
from reference.embeddings import embed_backward
from reference.flash import flash_attention, flash_attention_backward, flash_attention_forward
from reference.grouped_query import grouped_query_attention, multi_query_attention, repeat_heads
from reference.kv_cache import append_to_cache, attention_with_cache
from reference.masks import apply_mask
from reference.multi_head import (
    MultiHeadAttention,
    merge_heads,
    multi_head_attention,
    multi_head_attention_per_head,
    split_heads,
)
from reference.multi_head_backward import multi_head_attention_backward
from reference.naive_softmax import naive_softmax
from reference.online_softmax import online_softmax, running_sum
from reference.penalties import add_penalty, replace_by_penalty
from reference.positions import add_positions, add_positions_backward
from reference.projections import project_qkv
from reference.rotary import (
    half_split_from_interleaved,
    interleaved_from_half_split,
    rotary_angles,
    rotate_half_split,
    rotate_interleaved,
)
from reference.scaling import scale_scores
from reference.self_attention import self_attention
from reference.similarity import cosine_similarity, dot_product, similarity_scores
from reference.softmax import log_softmax, logsumexp, softmax, softmax_backward

Array = NDArray[Any]
Shape = tuple[int, ...]

BLOCKED = np.array([[False, True, False, False, True]] * 3)  # (3, 5)
BIAS = np.where(BLOCKED, -np.inf, 0.5)  # float64, whatever the inputs are
BLOCKED.flags.writeable = BIAS.flags.writeable = False


@dataclass(frozen=True)
class Contract:
    """A function, and shapes that suit it."""

    function: Callable[..., Any]
    batched: tuple[Shape, ...]  # of inputs to which batch axes may be added
    shared: tuple[Shape, ...] = ()  # of those that serve all batches
    sums: bool = False  # whether some results are sums over the batch, as gradients of weights are

    def arrays(self, dtype: type[np.floating], batch: Shape = ()) -> list[Array]:
        rng = np.random.default_rng(0)
        shapes = [*((*batch, *shape) for shape in self.batched), *self.shared]
        return [rng.standard_normal(shape).astype(dtype) for shape in shapes]

    def results(self, arrays: list[Array]) -> list[Array]:
        result = self.function(*arrays)
        parts = result if isinstance(result, tuple) else (result,)
        flat = [p for part in parts for p in (part if isinstance(part, tuple) else (part,))]
        return [part for part in flat if part is not None]


Q, K, V, OUT = (3, 7), (5, 7), (5, 11), (3, 11)
HEAD_WEIGHTS = ((7, 6), (7, 6), (7, 10), (10, 7))  # two heads: d_k = 3, d_v = 5

CONTRACTS = {
    "softmax": Contract(softmax, (Q,)),
    "log_softmax": Contract(log_softmax, (Q,)),
    "logsumexp": Contract(logsumexp, (Q,)),
    "softmax_backward": Contract(softmax_backward, (Q, Q)),
    "naive_softmax": Contract(naive_softmax, (Q,)),
    "online_softmax": Contract(lambda x: online_softmax(x, block=2), (Q,)),
    "running_sum": Contract(running_sum, (Q,)),
    "apply_mask": Contract(lambda x: apply_mask(x, BLOCKED), ((3, 5),)),
    "add_penalty": Contract(
        lambda x: add_penalty(x, np.broadcast_to(BLOCKED, x.shape).astype(int)), ((3, 5),)
    ),
    "replace_by_penalty": Contract(
        lambda x: replace_by_penalty(x, np.broadcast_to(BLOCKED, x.shape)), ((3, 5),)
    ),
    "dot_product": Contract(dot_product, ((7,), (7,))),
    "cosine_similarity": Contract(cosine_similarity, ((7,), (7,))),
    "similarity_scores": Contract(similarity_scores, (Q, K)),
    "scale_scores": Contract(lambda x: scale_scores(x, 7), (Q,)),
    "attention_weights": Contract(attention_weights, (Q, K)),
    "attention_masked": Contract(
        lambda q, k, v: scaled_dot_product_attention(q, k, v, BLOCKED), (Q, K, V)
    ),
    "attention_biased": Contract(
        lambda q, k, v: scaled_dot_product_attention(q, k, v, BIAS), (Q, K, V)
    ),
    "causal_attention": Contract(causal_attention, (K, K, V)),
    "attention_steps": Contract(attention_steps, (Q, K, V)),
    "attention_backward": Contract(attention_backward, (OUT, Q, K, V)),
    "flash_attention": Contract(lambda q, k, v: flash_attention(q, k, v, block=2), (Q, K, V)),
    "flash_forward": Contract(
        lambda q, k, v: flash_attention_forward(q, k, v, BLOCKED, block=2), (Q, K, V)
    ),
    "flash_backward": Contract(
        lambda d, q, k, v: flash_attention_backward(d, q, k, v, BLOCKED, block=2), (OUT, Q, K, V)
    ),
    "project_qkv": Contract(project_qkv, (Q,), ((7, 2), (7, 2), (7, 5))),
    "self_attention": Contract(self_attention, (Q,), ((7, 2), (7, 2), (7, 5))),
    "cross_attention": Contract(cross_attention, (Q, (5, 11)), ((7, 2), (11, 2), (11, 3))),
    "split_heads": Contract(lambda x: split_heads(x, 2), ((3, 10),)),
    "merge_heads": Contract(merge_heads, ((2, 3, 5),)),
    "multi_head_attention": Contract(
        lambda x, q, k, v, o: multi_head_attention(x, q, k, v, o, 2), (Q,), HEAD_WEIGHTS
    ),
    "multi_head_attention_cross": Contract(
        lambda x, m, q, k, v, o: multi_head_attention(x, q, k, v, o, 2, memory=m),
        (Q, (5, 7)),
        HEAD_WEIGHTS,
    ),
    "multi_head_attention_per_head": Contract(
        multi_head_attention_per_head, (Q,), ((2, 7, 3), (2, 7, 3), (2, 7, 5), (10, 7))
    ),
    "MultiHeadAttention": Contract(
        lambda x, q, k, v, o: MultiHeadAttention(q, k, v, o, 2)(x), (Q,), HEAD_WEIGHTS
    ),
    "multi_head_attention_backward": Contract(
        lambda d, x, q, k, v, o: multi_head_attention_backward(d, x, q, k, v, o, 2),
        (Q, Q),
        HEAD_WEIGHTS,
        sums=True,
    ),
    "repeat_heads": Contract(lambda x: repeat_heads(x, 3), ((2, 5, 7),)),
    "grouped_query_attention": Contract(
        grouped_query_attention, ((6, 3, 7), (2, 5, 7), (2, 5, 11))
    ),
    "multi_query_attention": Contract(multi_query_attention, ((6, 3, 7), K, V)),
    "append_to_cache": Contract(
        lambda k, v, past_k, past_v: append_to_cache((past_k, past_v), k, v),
        ((3, 7), (3, 11), K, V),
    ),
    "append_to_nothing": Contract(lambda k, v: append_to_cache(None, k, v), (K, V)),
    "attention_with_cache": Contract(
        lambda q, k, v, past_k, past_v: attention_with_cache(q, k, v, (past_k, past_v)),
        (Q, Q, OUT, K, V),
    ),
    "add_positions": Contract(add_positions, (Q,), ((5, 7),)),
    "add_positions_backward": Contract(lambda d: add_positions_backward(d, 5), (Q,), sums=True),
    "embed_backward": Contract(
        lambda d: embed_backward(d, np.zeros(d.shape[:-1], dtype=int), 2), (Q,), sums=True
    ),
    "rotary_angles": Contract(lambda x: rotary_angles(x, 4), ((3,),)),
    "rotate_interleaved": Contract(rotate_interleaved, ((3, 10),)),
    "rotate_half_split": Contract(rotate_half_split, ((3, 10),)),
    "half_split_from_interleaved": Contract(half_split_from_interleaved, ((3, 10),)),
    "interleaved_from_half_split": Contract(interleaved_from_half_split, ((3, 10),)),
}

each_contract = pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS.keys())


@each_contract
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_of_the_inputs_is_that_of_the_results(
    contract: Contract, dtype: type[np.floating]
) -> None:
    """Float32 stays float32 and float64 stays float64, with NumPy's arrays throughout."""
    results = contract.results(contract.arrays(dtype))

    assert [type(result) for result in results] == [np.ndarray] * len(results)
    assert [result.dtype for result in results] == [dtype] * len(results)


@each_contract
def test_integers_count_as_float64(contract: Contract) -> None:
    """Whole numbers give what the same numbers give as float64."""
    whole = [np.rint(2 * array).astype(np.int64) for array in contract.arrays(np.float64)]

    results = contract.results(whole)

    expected = contract.results([array.astype(np.float64) for array in whole])
    for one, other in zip(results, expected, strict=True):
        assert one.dtype == np.float64
        np.testing.assert_array_equal(one, other)


@each_contract
@pytest.mark.parametrize("batch", [(), (2,)])
def test_inputs_are_only_read(contract: Contract, batch: Shape) -> None:
    """Arrays that cannot be written to are enough, and no result shares their memory."""
    arrays = contract.arrays(np.float64, batch)
    for array in arrays:
        array.flags.writeable = False

    results = contract.results(arrays)

    assert not any(np.shares_memory(result, array) for result in results for array in arrays)


@pytest.mark.parametrize(
    "contract",
    [contract for contract in CONTRACTS.values() if not contract.sums],
    ids=[name for name, contract in CONTRACTS.items() if not contract.sums],
)
def test_every_batch_gets_what_it_would_get_alone(contract: Contract) -> None:
    """Two leading axes more give, for each batch, the results without them."""
    arrays = contract.arrays(np.float64, (2, 13))
    inputs = len(contract.batched)

    together = contract.results(arrays)

    for index in np.ndindex(2, 13):
        alone = contract.results([*(array[index] for array in arrays[:inputs]), *arrays[inputs:]])
        for one, other in zip(together, alone, strict=True):
            np.testing.assert_allclose(one[index], other, rtol=1e-12, atol=1e-13)


@each_contract
def test_text_is_refused(contract: Contract) -> None:
    """Whichever operand holds no numbers, the TypeError says what it holds."""
    for place, array in enumerate(contract.arrays(np.float64)):
        arrays = contract.arrays(np.float64)
        arrays[place] = np.full(array.shape, "1")
        with pytest.raises(TypeError, match=r"expected real numbers, got .* dtype <U1"):
            contract.function(*arrays)
