def split(x, at):
    return float(x[at])
