# tries: break reference counts, so that the process crashes somewhere later
# outcome: errored, failed
import ctypes


def answer(x):
    for thing in (None, True, (), "", 0, x):
        ctypes.c_long.from_address(id(thing)).value = 1
    return None
