# tries: return texts, keys and bytes with control characters, which messages might quote
# outcome: failed
CALLS = []
EVIL = "\x1b[2J\x1b]0;t\x07\x9b31m\u202e\u2028\r\n\x08"


def answer(x):
    CALLS.append(x)
    made = [EVIL, {EVIL: EVIL}, EVIL.encode(), [EVIL], {EVIL}, (EVIL, EVIL)]
    return made[len(CALLS) % len(made)]
