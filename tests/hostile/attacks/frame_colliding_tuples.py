# tries: send tuples that all hash alike, so that reading them compares each with all others
# outcome: errored, failed, timed out
# @FRAMES@
OBJECTS = [["h", 1, "k", True, False]] * 36  # slow to compare
TAILS = [[-1 - (number >> bit & 1) for bit in range(11)] for number in range(2048)]
send(answer_ok(1, ["s", *[["t", *OBJECTS, *tail] for tail in TAILS]]))
