# tries: return a dict that changes while it is read, with keys of every kind
# outcome: failed, errored
class Key(str):
    def __repr__(self):
        DATA.clear()
        return "\x1b[2J"

    __hash__ = str.__hash__


DATA = {}


def answer(x):
    DATA.update({f"k{n}": n for n in range(50)} | {("\x1b[2J", 1): 1, 1.5: 2, None: 3, Key("a"): Key("b")})
    return DATA
