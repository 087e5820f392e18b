# tries: end with a success status from an atexit handler
# outcome: errored
import atexit
import os
import sys

atexit.register(os._exit, 0)
sys.exit(0)
