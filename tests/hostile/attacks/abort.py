# tries: abort the process, with a core dump
# outcome: errored
# shows: SIG(ABRT|SEGV)
import os
import resource

try:
    resource.setrlimit(resource.RLIMIT_CORE, (1 << 30, 1 << 30))
except (OSError, ValueError):
    pass
os.abort()
