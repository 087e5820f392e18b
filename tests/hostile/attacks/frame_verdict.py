# tries: answer with statuses that do not exist, as if a verdict could be sent
# outcome: errored
# @FRAMES@
send(frame(["l", 1, "passed", ["d", "outcome", "passed", "score", 9]]))
