shape = "3 by 5"
axes = "queries and keys"
first = [1, 0]
