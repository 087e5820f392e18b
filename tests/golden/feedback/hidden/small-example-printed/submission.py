def best(words, x):
    last = x[::-1].argmax()
    print(words[len(x) - 1 - last], x.max())
