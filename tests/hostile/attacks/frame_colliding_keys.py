# tries: send keys that all hash alike, so that reading them takes the grader minutes
# outcome: errored, failed, timed out
# @FRAMES@
send(answer_ok(1, ["s", *[((1 << 61) - 1) * k for k in range(1, 40_000)]]))
