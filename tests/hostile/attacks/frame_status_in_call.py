# tries: answer a call with an array where the status should be
# outcome: errored
# @FRAMES@
CALLS = []


def answer(x):
    CALLS.append(x)
    send(frame(["l", len(CALLS) + 1, ["a", "|u1", [3], 0], None], bytes(16)))
