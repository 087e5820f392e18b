# tries: send half of an answer and hang up
# outcome: errored
# @FRAMES@
send(answer_ok(1, FACTS)[:-5])
os._exit(0)
