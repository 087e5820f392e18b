import numpy as np


def cross_entropy(logits, targets, ignore_index=-100):
    rows = logits.reshape(-1, logits.shape[-1])
    losses = []
    for row, token in zip(rows, np.ravel(targets), strict=True):
        if token != ignore_index:
            losses.append(np.logaddexp.reduce(row) - row[token])
    return np.mean(losses)
