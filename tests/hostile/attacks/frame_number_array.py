# tries: answer with arrays, sets and containers in every place of an answer
# outcome: errored
# @FRAMES@
send(frame(["l", ["a", "<i8", [2], 0], "ok", None], bytes(16)))
