# tries: send structured, text, void and big-endian dtypes
# outcome: errored
# @FRAMES@
send(answer_ok(1, ["a", [["a", "<f8"], ["b", "|O"]], [1], 0], b"\x41" * 16))
