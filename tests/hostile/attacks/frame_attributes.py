# tries: give an exception arguments and attributes that change what it is, and endless causes
# outcome: errored
# @FRAMES@
facts = ["d", "type", "ValueError", "bases", ["l", "ValueError", "Exception"], "message", "m",
         "args", ["t", ["l"], ["d"]], "attributes",
         ["d", "__class__", 1, "__traceback__", 2, "_said", 3, "__notes__", ["l", 1], "args", 4, 5, 6]]
for _ in range(10):
    facts = [*facts[:1], "cause", facts, *facts[1:]]
send(frame(["l", 1, "raised", facts]))
