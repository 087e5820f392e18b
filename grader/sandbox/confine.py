"""What the grading process itself gives up before it runs an author's code.

Definitions are code too: their `given` is Python. So that a collection from elsewhere can be tried
without trust in it, the process that runs it loses, for good, what grading does not need.
"""

from collections.abc import Callable

from grader.sandbox.inside import landlock, seccomp, syscalls

_STEPS: dict[str, Callable[[], None]] = {
    "writing files": lambda: landlock.restrict(readable=None),
    "capabilities": syscalls.drop_capabilities,
    "network and programs": lambda: syscalls.load_filter(seccomp.grader_program(syscalls.MACHINE)),
}


def confine_this_process() -> tuple[str, ...]:
    """Give up writing, network and starting programs, as far as this host allows it.

    Call it after the sandbox was started: starting one needs all of these.

    Returns:
        What was given up; fewer than all on a kernel without Landlock or seccomp.
    """
    given_up = []
    for name, step in _STEPS.items():
        try:
            syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
            step()
        except (OSError, KeyError):
            continue
        given_up.append(name)
    return tuple(given_up)
