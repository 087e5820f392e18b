def attend(Q, K, V):
    return np.exp(Q @ K.T) @ V
