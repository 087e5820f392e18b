# tries: return values that grow as they are handed back, and never read what is asked
# outcome: timed out
# limits: quick
# @FRAMES@
import time

for number in range(1, 5):
    send(answer_ok(number, FACTS if number == 1 else ["l", *["x" * 900] * 1000]))
time.sleep(60)
