def centre(x):
    return x - x.mean()
