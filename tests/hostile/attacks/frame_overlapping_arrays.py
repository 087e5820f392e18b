# tries: name the same bytes as hundreds of arrays of zeros
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["l", *[["a", "|b1", [2 << 20], 0]] * 300], bytes(2 << 20)))
