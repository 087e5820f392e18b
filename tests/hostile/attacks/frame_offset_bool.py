# tries: give booleans, floats and texts for offsets and lengths
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["l", ["b", True, 2.0], ["n", "<f8", "0"]], bytes(16)))
