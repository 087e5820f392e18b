# tries: raise a group of exits with a cause and a context that go round in a circle
# outcome: errored
def answer(x):
    group = BaseExceptionGroup("exits", [SystemExit(0), KeyboardInterrupt()])
    group.__cause__ = group.__context__ = ValueError("round")
    group.__cause__.__cause__ = group
    raise group
