# tries: nest more functions than a compiler allows
# outcome: errored, out of memory, timed out
x = @TIMES 9000 lambda:@0
