import torch


def embed(token_ids, E):
    E = torch.tensor(E)
    return torch.cat([E[i][None] for i in token_ids])
