# tries: crash the interpreter in a call
# outcome: errored
# shows: SIGSEGV
import ctypes


def answer(x):
    ctypes.string_at(0)
