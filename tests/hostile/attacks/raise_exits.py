# tries: raise every exception that is no Exception
# outcome: errored
CALLS = []


class Quiet(SystemExit):
    code = 0


def answer(x):
    CALLS.append(x)
    kinds = (SystemExit, KeyboardInterrupt, GeneratorExit, Quiet, BaseException, StopIteration)
    raise kinds[len(CALLS) % len(kinds)](0)
