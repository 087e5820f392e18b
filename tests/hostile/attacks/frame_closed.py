# tries: close the connection and go on
# outcome: errored
import os
import time

os.close(3)
time.sleep(30)
