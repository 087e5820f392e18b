# tries: read from standard input
# outcome: errored
value = input("password: ")
