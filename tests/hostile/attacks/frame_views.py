# tries: have the grader look at memory outside an array
# outcome: errored, failed
# shows: (?s)^(?!.*SECRET)
# @FRAMES@
array = ["a", "<f8", [2], 0]
for place in ([-8, [8]], [0, [1 << 40]], [1 << 62, [-8]], [0, [8, 8]], ["x", [8]]):
    view = ["v", 0, place[0], place[1], [8], ["a", "<f8", [2], 16]]
    send(answer_ok(1, ["l", array, view], bytes(32)))


def answer(x):
    return x
