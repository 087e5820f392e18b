shape = (5, 3)
axes = "keys and queries"
first = [0, 1]
