# tries: send a dict with a list for a key and a set of arrays
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["d", ["l"], 1], bytes(16)))
