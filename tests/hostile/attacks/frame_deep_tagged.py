# tries: send well-formed lists nested just deeper than is allowed
# outcome: errored
# @FRAMES@
deep = 1
for _ in range(200):
    deep = ["l", deep]
send(answer_ok(1, deep))
