# tries: end the text early with a NUL byte, to hide what follows from a check
# outcome: errored
x = 1 # @NUL@
import os; os._exit(0)
