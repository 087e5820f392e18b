# tries: never answer
# outcome: timed out
# limits: quick
import threading

threading.Event().wait()
