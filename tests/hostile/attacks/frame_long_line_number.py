# tries: give a line number of four thousand digits
# outcome: errored
# @FRAMES@
number = 10 ** 4200
facts = ["d", "type", "SyntaxError", "message", "m", "bases", ["l", "SyntaxError"], "line", number, "text", "t"]
send(frame(["l", 1, "raised", facts]))
