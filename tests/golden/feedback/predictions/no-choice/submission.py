shape = (3, 5)
axes = "rows"
first = [1, 0]
