# tries: raise an exception whose text, type name and frames are of the wrong types
# outcome: errored
class Text(str):
    __len__ = lambda self: 0
    __getitem__ = lambda self, key: self


class Meta(type):
    __name__ = property(lambda cls: Text("\x1b[31mpassed" * 1000))
    __mro__ = property(lambda cls: 1 / 0)


class Hostile(Exception, metaclass=Meta):
    def __str__(self):
        return Text("\x1b[2J\x1b[Hpassed " * 1000)


def answer(x):
    raise Hostile
