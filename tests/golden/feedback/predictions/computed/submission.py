shape = (3, 2 + 3)
axes = "queries and keys"
first = [1, 0]
