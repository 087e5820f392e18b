# tries: return arrays of every odd kind: masked, matrix, object, structured, record, text, dates
# outcome: failed
import numpy as np

CALLS = []


def answer(x):
    CALLS.append(x)
    kinds = [
        np.ma.masked_all(2),
        np.asmatrix([[4.0, 7.0]]),
        np.array([4.0, object()], dtype=object),
        np.zeros(2, dtype=[("a", "f8"), ("b", "O")]),
        np.rec.array([(4.0,), (7.0,)]),
        np.array(["4.0", "7.0"]),
        np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
        np.zeros(2, dtype="V8"),
        np.zeros(2, dtype=">f8"),
        np.zeros(2, dtype=np.longdouble),
        np.memmap("m", dtype=float, shape=2, mode="w+") if len(CALLS) == 99 else None,
        np.lib.stride_tricks.as_strided(np.zeros(1), (2,), (1 << 40,)) if len(CALLS) == 99 else None,
    ]
    return kinds[len(CALLS) % len(kinds)]
