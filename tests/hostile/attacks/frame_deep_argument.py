# tries: return values as deep as they may be, which are handed back as arguments of the next call
# outcome: failed
# @FRAMES@
import time

deep = 1
for _ in range(30):
    deep = ["l", deep]
for number in range(1, 14):
    send(answer_ok(number, FACTS if number == 1 else ["l", deep, None]))
time.sleep(30)
