# tries: crash the parser with brackets nested too deep
# outcome: errored, out of memory, timed out
x = @TIMES 20000 (@0@TIMES 20000 )@
