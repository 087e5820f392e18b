# tries: answer with an array where the status should be, whose comparison has no truth
# outcome: errored
# @FRAMES@
send(frame(["l", 1, ["a", "<f8", [2], 0], None], bytes(16)))
