# tries: raise its own limits, and set those of others
# outcome: failed
# shows: raised: \[\]
import resource


def find(x):
    raised = []
    for number in range(16):
        try:
            soft, hard = resource.getrlimit(number)
        except (OSError, ValueError):
            continue
        for limit in ((-1, -1), (hard, -1), (soft + 1, hard + 1), (soft, hard)):
            try:
                resource.setrlimit(number, limit)
                raised.append((number, limit))
            except (OSError, ValueError):
                pass
        for pid in (int("@GRADER_PID@"), int("@ZYGOTE_PID@")):
            try:
                resource.prlimit(pid, number, (0, 0))
                raised.append((pid, number))
            except (OSError, ValueError):
                pass
    return f"raised: {raised}"


# @TELL@
