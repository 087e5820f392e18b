# tries: crash the compiler with an attribute chain too long for it
# outcome: errored, out of memory, failed, timed out
x = lambda a: a@TIMES 30000 .b@
