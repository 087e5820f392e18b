# tries: return a large text, and then never read the request that hands it back
# outcome: failed
# shows: "timed out"
# limits: quick
# @FRAMES@
import time

for number in range(1, 7):
    send(answer_ok(number, FACTS if number == 1 else ["l", "x" * 900_000, None]))
time.sleep(30)
