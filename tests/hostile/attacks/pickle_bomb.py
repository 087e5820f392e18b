# tries: return objects that run commands where they are unpickled or copied
# outcome: failed
import os


class Bomb:
    def __reduce__(self):
        return os.system, ("touch @PEER_FILE@; : @MARK@",)

    __reduce_ex__ = lambda self, protocol: self.__reduce__()
    __deepcopy__ = __copy__ = lambda self, *a: os.system("touch @PEER_FILE@")
    __getstate__ = __setstate__ = __copy__


def answer(x):
    return {"bomb": [Bomb()]}
