# tries: answer another request than the one that was asked
# outcome: errored
# @FRAMES@
send(answer_ok(7, FACTS))
