# tries: point outside of the body, with offsets that are negative, huge and no integers
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["b", -8, 16], bytes(16)))
