import pandas as pd


def embed(token_ids, E):
    return pd.DataFrame(E).loc[token_ids]
