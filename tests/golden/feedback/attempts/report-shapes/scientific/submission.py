import numpy as np


def similarity_scores(Q, K):
    """Return the dot product of every query with every key."""
    return Q @ np.swapaxes(K, -1, -2)


def report(words, Q, K):
    """Print the scores' shape, and what each word finds most relevant."""
    scores = similarity_scores(Q, K)  # (n, n)
    print(f"scores: {scores.shape}")
    for word, row in zip(words, scores):
        best = row.argmax()
        print(f"{word} -> {words[best]} ({row[best]:.3e})")
