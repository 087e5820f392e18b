# tries: return a text that is longer when it is handed back as the argument of the next call
# outcome: failed
# @FRAMES@
import time

header = json.dumps(["l", 0, "ok", "é" * 400_000], ensure_ascii=False)
send(answer_ok(1, FACTS))
for number in range(2, 14):
    send(raw(header.replace("0", str(number), 1).encode()))
    if number == 4:
        break
time.sleep(30)
