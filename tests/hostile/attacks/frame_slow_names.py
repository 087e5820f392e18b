# tries: name thousands of arrays as the names it defines, so that looking at them takes minutes
# outcome: errored, failed, timed out
# @FRAMES@
names = ["l", *[["a", "<f8", [1000], 0]] * 2000]
send(answer_ok(1, ["d", "names", names, "defined", ["d"]], os.urandom(8000)))
