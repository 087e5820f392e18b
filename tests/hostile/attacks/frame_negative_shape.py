# tries: send an array of negative lengths
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["a", "<f8", [-1, -2], 0], bytes(16)))
