# tries: send an answer one byte at a time, so that no single wait is long
# outcome: timed out
# limits: quick
# @FRAMES@
import time

for byte in answer_ok(1, ["l", "x" * 5000]):
    os.write(3, bytes([byte]))
    time.sleep(0.01)
