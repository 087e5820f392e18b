shape = (3, 5)
axes = "queries and keys"
first = [1, 0]
print(shape)
