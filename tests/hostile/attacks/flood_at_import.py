# tries: print without end at import, to standard error
# outcome: output limit
import sys

for n in range(10_000):
    print("y" * 1000, file=sys.stderr)
