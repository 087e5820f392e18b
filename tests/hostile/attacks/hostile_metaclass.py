# tries: return an object whose metaclass raises whenever it is looked at
# outcome: failed, errored
class Meta(type):
    def __getattribute__(cls, name):
        raise KeyboardInterrupt(name)

    __instancecheck__ = __subclasscheck__ = __eq__ = __hash__ = lambda *a: 1 / 0


class Hostile(metaclass=Meta):
    pass


HOSTILE = object.__new__(Hostile)


def answer(x):
    return HOSTILE
