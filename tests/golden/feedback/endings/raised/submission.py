def double(x):
    raise NotImplementedError
