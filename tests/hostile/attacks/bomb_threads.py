# tries: start two hundred threads
# outcome: failed
# shows on namespaces: started: ([0-9]|1[0-5])\D
# shows on landlock: started: \d+
# Without namespaces only the memory limits threads, as the user's own processes would count too.
import threading
import time

threading.stack_size(64 << 10)
_STARTED = []


def find(x):
    if not _STARTED:
        try:
            for _ in range(200):
                threading.Thread(target=time.sleep, args=(2,), daemon=True).start()
                _STARTED.append(1)
        except RuntimeError:
            pass
    return f"started: {len(_STARTED)}"


# @TELL@
