# tries: use up its time, then claim to be in a line that is not there, with escapes for values
# outcome: timed out
# limits: quick
# @FRAMES@
import time

while time.process_time() < 0.9:
    pass
VALUES = ["l", ["l", "x", "\x1b[2J", True], ["l", "\x1b[2J", "1", True], ["l", "y", 3, True]]
send(frame(["l", 1, "stopped", ["d", "line", 60000, "is_loop", True, "values", VALUES]]))
while True:
    pass
