# tries: steer the terminal with the name of the type of a returned value, and with a key on its way
# outcome: failed
EVIL = "\x1b[2J\x9b\r\u202e"


def answer(x):
    return {EVIL: [type("K" + EVIL, (), {"__module__": "m" + EVIL})()]}
