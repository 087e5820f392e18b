# tries: fill the memory with shared and private maps, and keep them past the process
# outcome: failed
# shows: mapped: [0-9]{1,3} MiB
import mmap


def find(x):
    kept, size = [], 64 << 20
    while len(kept) < 32:
        try:
            kept.append(mmap.mmap(-1, size))
        except OSError:
            break
    return f"mapped: {len(kept) * (size >> 20)} MiB"


# @TELL@
