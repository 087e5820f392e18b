shape = (3, 5, 1)
axes = "queries and keys"
first = [[1, 0]]
