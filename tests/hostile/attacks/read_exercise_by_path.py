# tries: read the exercise from disk by every spelling of its path
# outcome: failed
# shows: 'PermissionError|FileNotFoundError
import os

PATH = "@EXERCISE_PATH@"
UP = "../" * 30
SPELLINGS = [
    PATH,
    UP + PATH.lstrip("/"),
    "//" + PATH,
    "/proc/self/root" + PATH,
    "/proc/self/cwd/" + UP + PATH.lstrip("/"),
    "/proc/thread-self/root" + PATH,
    "/proc/1/root" + PATH,
    "/proc/@GRADER_PID@/root" + PATH,
    "/proc/@GRADER_PID@/cwd/tests/hostile/exercise/guarded.yaml",
    "/proc/@ZYGOTE_PID@/root" + PATH,
    "/proc/@ZYGOTE_PID@/cwd" + PATH,
    "/dev/fd/../root" + PATH,
    "/tmp/.." + PATH,
    "guarded.yaml",
    os.path.dirname(os.__file__) + "/" + UP + PATH.lstrip("/"),
]


def find(x):
    found = []
    for path in SPELLINGS:
        try:
            found.append(open(path).read())
        except OSError as error:
            found.append(type(error).__name__)
    return found


# @TELL@
