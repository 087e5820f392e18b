# tries: answer every call before it is asked, then never read a request
# outcome: failed
# @FRAMES@
import time

for number in range(1, 14):
    send(answer_ok(number, FACTS if number == 1 else ["l", 0.0, None]))
time.sleep(30)
