# tries: raise from a signal handler in the middle of the code that serves it
# outcome: errored, failed, timed out
# limits: quick
import signal


def handler(*_):
    raise SystemExit(0)


signal.signal(signal.SIGALRM, handler)


def answer(x):
    signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)
    return "wrong"
