def split(x):
    return x[:1], x[1:]
