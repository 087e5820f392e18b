# tries: make every message about it as long as a frame
# outcome: errored
# @FRAMES@
long = "x" * 90_000
facts = ["d", "type", long, "bases", ["l", *[long] * 2], "message", long, "text", long, "frames", ["l", ["l", 1, long]]]
send(frame(["l", 1, "raised", facts]))
