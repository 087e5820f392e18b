# tries: end with a success status through the C library, around Python
# outcome: errored
import ctypes

ctypes.CDLL(None)._exit(0)
