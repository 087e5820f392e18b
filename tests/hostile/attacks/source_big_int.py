# tries: write an integer of more digits than Python reads
# outcome: errored
x = @TIMES 20000 9@
