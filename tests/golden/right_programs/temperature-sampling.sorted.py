import numpy as np


def token_probabilities(logits, temperature):
    if temperature == 0:
        chosen = np.zeros(logits.shape)
        np.put_along_axis(chosen, np.expand_dims(np.argmax(logits, -1), -1), 1.0, axis=-1)
        return chosen
    logits = (logits - np.max(logits, -1, keepdims=True)) / temperature
    powers = np.exp(logits)
    return np.divide(powers, np.sum(powers, -1, keepdims=True))
