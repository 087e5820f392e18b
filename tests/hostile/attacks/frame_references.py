# tries: let a few bytes stand for a value without end
# outcome: errored
# @FRAMES@
tree = ["l", 1]
for number in range(28):
    tree = ["l", tree, ["r", number]]
send(answer_ok(1, tree))
