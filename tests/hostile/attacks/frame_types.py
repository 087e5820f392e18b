# tries: send other types of values with parts that they cannot have
# outcome: errored
# @FRAMES@
odd = [
    ["x", "fractions.Fraction", ["t", "1e999999999", 1]], ["x", "decimal.Decimal", "1e999999999"],
    ["x", "builtins.range", ["t", 0, 10 ** 18, 1]], ["x", "collections.deque", ["t", ["l"], "1"]],
    ["x", "datetime.datetime", 7], ["x", "numpy.ma.MaskedArray", ["t", 1, ["l"]]],
    ["x", "namedtuple", ["t", ["t", "__class__"], ["t", 1]]], ["x", "posix.system", "true"],
    ["x", "builtins.type", "type"], ["x", ["l"], 1], ["x"], ["a", "<f8", [2], 0, [1 << 50], False],
]
send(answer_ok(1, ["l", *odd]))
