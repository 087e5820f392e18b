# tries: name ninety thousand functions that are nearly the one that is missing
# outcome: errored, failed, timed out
# @FRAMES@
names = ["l", *["answre%d" % (k % 10) for k in range(90_000)]]
send(answer_ok(1, ["d", "names", names, "defined", ["d"]]))
