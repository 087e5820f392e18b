# tries: describe its signature by texts with escape sequences, and then do not fit the call
# outcome: errored
# @FRAMES@
evil = "\x1b[2J\r\u202e"
answer_facts = ["d", "callable", True, "parameters", ["l", evil, ["l", evil]], "line", evil, "type", evil]
wrong = ["d", "type", "TypeError", "message", "answer takes no arguments", "bases", ["l"], "frames", ["l"]]
send(answer_ok(1, ["d", "names", ["l"], "defined", ["d", "answer", answer_facts]]))
for number in range(2, 14):
    send(frame(["l", number, "raised", wrong]))
__import__("time").sleep(30)
