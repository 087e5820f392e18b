# tries: leave behind changed modules, files that shadow modules, and a changed environment
# outcome: failed, errored
import builtins
import json
import os
import random
import sys

import numpy as np

np.seterr(all="raise")
np.set_printoptions(precision=1)
np.random.seed(0)
np.array = np.asarray = np.zeros = np.allclose = None
json.loads = json.JSONEncoder = None
random.random = lambda: 4
builtins.print = lambda *a, **k: None
sys.path.insert(0, "/tmp")
os.environ["PYTHONPATH"] = "/tmp"
for name in ("numpy.py", "json.py", "pytest.py", "conftest.py", "submission.py", "sitecustomize.py"):
    for folder in (".", "/tmp", "/var/tmp", "/dev/shm"):
        try:
            with open(f"{folder}/{name}", "w") as file:
                file.write("raise SystemExit(0)\n")
        except OSError:
            pass


def answer(x):
    return None
