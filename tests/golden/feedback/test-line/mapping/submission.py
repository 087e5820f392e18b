def split(x, at):
    return {'before': x[:at], 'after': x[at:]}
