def split(x, at):
    x[:at], x[at:]
