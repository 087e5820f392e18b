# tries: describe an exception and its own functions by values of the wrong types
# outcome: errored
# @FRAMES@
facts = ["d", "type", 7, "bases", ["l", 1, ["l"], "MemoryErro"], "message", ["l"], "line", "\x1b[2J",
         "frames", ["l", ["l", "\x1b[2J", 1], ["t", 10 ** 4000, "\x1b[2J"], ["t", -5, "f"], 3], "text", ["b", 0, 4]]
send(frame(["l", 1, "raised", facts], bytes(16)))
