# tries: nest more blocks than a compiler allows
# outcome: errored
@TIMES 150 if(1):@pass
