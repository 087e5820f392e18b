# tries: name an object that stays in the sandbox by a megabyte of text
# outcome: failed, errored
# limits: quick
# @FRAMES@
import time

send(answer_ok(1, FACTS))
for number in range(2, 14):
    send(answer_ok(number, ["h", 10 ** 4000, "K\x1b[2J" * 100_000, True, False]))
time.sleep(30)
