# tries: call functions of the grader that no test has given
# outcome: errored
# @FRAMES@
send(frame(["l", "call back", 0, ["l"], ["d"]]))
send(frame(["l", "call back", -1, ["l", ["k", 5, True]], ["d", ["h", 0, "K", True, False], 1]]))
