import torch


def attention_weights(Q, K):
    return torch.softmax(Q @ K.T, -1)
