# tries: make the sentence about a missing name, or about its type, as long as a frame
# outcome: failed
# @FRAMES@
known = ["d", "answer", ["d", "callable", False, "type", "t" * 900_000]]
send(answer_ok(1, ["d", "names", ["l", "answer" * 2], "defined", known]))
