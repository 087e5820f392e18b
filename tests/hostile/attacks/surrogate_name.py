# tries: name a function with half a surrogate pair, which no terminal can print
# outcome: failed
globals()["answe\udc80r"] = print
