# tries: send tags that do not exist, no tag, and an object
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["x", {"__class__": "ndarray"}]))
