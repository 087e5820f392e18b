shape = (3, 5
