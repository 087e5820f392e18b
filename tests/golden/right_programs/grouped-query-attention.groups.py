import numpy as np


def grouped_query_attention(Q, K, V):
    groups = K.shape[-3]
    grouped = Q.reshape(*Q.shape[:-3], groups, Q.shape[-3] // groups, *Q.shape[-2:])
    scores = np.einsum("...ghnd,...gmd->...ghnm", grouped, K) / np.sqrt(Q.shape[-1])
    logs = scores - np.logaddexp.reduce(scores, axis=-1)[..., None]
    weights = np.exp(logs)
    output = np.einsum("...ghnm,...gmd->...ghnd", weights, V)
    heads = Q.shape[:-2]
    return output.reshape(*heads, *output.shape[-2:]), weights.reshape(*heads, *weights.shape[-2:])
