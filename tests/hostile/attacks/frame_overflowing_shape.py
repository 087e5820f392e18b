# tries: send an array whose size is more than any integer of C holds
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["a", "<f8", [1 << 30] * 30 + [0, 1 << 30], 0], bytes(16)))
