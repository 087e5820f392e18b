# tries: return a value so deep that it cannot be handed back as the argument of the next call
# outcome: failed
# @FRAMES@
import time

deep = 1
for _ in range(31):
    deep = ["l", deep]
for number in range(1, 14):
    send(answer_ok(number, FACTS if number == 1 else deep))
time.sleep(30)
