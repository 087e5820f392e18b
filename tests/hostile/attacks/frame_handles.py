# tries: send handles in every place, with numbers and kinds of the wrong types, and a function
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["l", ["h", 0, "K", True, False], ["s", ["h", -1, "K", False, False]], ["h", True, 7, 0, 0]]))
