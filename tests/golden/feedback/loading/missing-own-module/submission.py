from helpers import softmax


def attention_weights(Q, K):
    return softmax(Q @ K.T)
