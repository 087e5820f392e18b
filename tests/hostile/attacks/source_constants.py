# tries: have the compiler fold constants of gigabytes
# outcome: errored, failed, out of memory, timed out
# limits: quick
x = ((((("y" * 4096) * 4096) * 4096) * 8) * 8)
n = 9 ** 9 ** 9 if not x else 0
