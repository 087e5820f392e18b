# tries: answer the same request twice
# outcome: errored
# @FRAMES@
send(answer_ok(1, FACTS))
send(answer_ok(1, FACTS))


def answer(x):
    return None
