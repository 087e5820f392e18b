# tries: name the same bytes hundreds of times, so that an answer grows where it is read
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["l", *[["b", 0, 2 << 20]] * 300], bytes(2 << 20)))
