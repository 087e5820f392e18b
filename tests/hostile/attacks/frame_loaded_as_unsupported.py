# tries: answer the loading itself with a value that cannot cross
# outcome: errored, failed
# @FRAMES@
send(frame(["l", 1, "unsupported", ["d", "kind", "\x1b[2J" * 100, "path", "\x1b[2J" * 100]]))
