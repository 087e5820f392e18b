# tries: crash the compiler with an expression too deep for it
# outcome: errored, out of memory, timed out
x = @TIMES 60000 -@1
