# tries: crash the compiler with an expression too deep for it
# outcome: errored, out of memory
x = @TIMES 60000 -@1
