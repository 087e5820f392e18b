# tries: send an array of objects, whose bytes would be taken for pointers
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["a", "|O", [2], 0], b"\x41" * 16))
