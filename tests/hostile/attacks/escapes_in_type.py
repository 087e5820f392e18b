# tries: steer the terminal with the name of the type that stands where a function should
# outcome: failed
class Thing:
    pass


Thing.__name__ = Thing.__qualname__ = "x\x1b[2J\x1b]0;t\x07\r\u202e"
answer = Thing()
del Thing
