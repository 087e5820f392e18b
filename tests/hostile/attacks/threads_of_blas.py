# tries: have OpenBLAS start threads, by its environment and by its own functions
# outcome: failed, errored, timed out
# limits: quick
import ctypes
import os

import numpy as np

os.environ.update(OPENBLAS_NUM_THREADS="64", OMP_NUM_THREADS="64", GOTO_NUM_THREADS="64")


def find(x):
    told = []
    folder = os.path.join(os.path.dirname(os.path.dirname(np.__file__)), "numpy.libs")
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        library = ctypes.CDLL(os.path.join(folder, name))
        for function in ("openblas_set_num_threads", "openblas_set_num_threads64_",
                         "scipy_openblas_set_num_threads64_"):
            if hasattr(library, function):
                getattr(library, function)(8)
                told.append(function)
    a = np.ones((200, 200))
    return told, float((a @ a)[0, 0])


# @TELL@
