# tries: learn from stat, access and the errors of open whether the exercise is there
# outcome: failed
# shows on namespaces: exists: \[False, False, None\] same error: True
# shows on landlock: exists: \[
import os

PATH = "@EXERCISE_PATH@"


def error_of(path):
    try:
        open(path)
    except OSError as error:
        return error.errno


def size(path):
    try:
        return os.stat(path).st_size
    except OSError:
        return None


def find(x):
    exists = [os.path.exists(PATH), os.access(PATH, os.F_OK), size(PATH)]
    return f"exists: {exists} same error: {error_of(PATH) == error_of(PATH + '.no')}"


# @TELL@
