# tries: send a tree nested deeper than a parser can follow
# outcome: errored
# @FRAMES@
send(raw(b"[" * 1_000_000))
