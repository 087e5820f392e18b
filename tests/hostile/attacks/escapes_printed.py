# tries: steer the terminal with escape sequences in what is printed
# outcome: failed
import os

EVIL = "\x1b[2J\x1b[H\x1b[32mPassed\x1b]0;title\x07\x1bP\x9b2J\x9d\x90\r\x08\x7f\x0b\x0c\x1c\x85\u2028\u2029"
print(EVIL)
os.write(1, b"\x9b2J\xff\xfe\x1b[2J\x00")


def answer(x):
    print(EVIL)
    os.write(2, b"\x1b[2J" + bytes(range(256)))
    return None
