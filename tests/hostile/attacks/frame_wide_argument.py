# tries: return a text that is longer when it is handed back as the argument of the next call
# outcome: failed
# @FRAMES@
import time

send(answer_ok(1, FACTS))
for number in range(2, 14):
    value = ["l", "\u00e9" * 400_000, None]  # and its arguments are as they were
    header = json.dumps(["l", number, "ok", value], ensure_ascii=False)
    send(raw(header.encode()))
time.sleep(30)
