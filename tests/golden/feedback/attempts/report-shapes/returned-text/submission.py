import numpy as np


def similarity_scores(Q, K):
    return Q @ np.swapaxes(K, -1, -2)


def report(words, Q, K):
    scores = similarity_scores(Q, K)
    text = f"scores: {scores.shape}"
    for word, row in zip(words, scores):
        text += f"\n{word}: {words[row.argmax()]} {row.max():.2f}"
    return text
