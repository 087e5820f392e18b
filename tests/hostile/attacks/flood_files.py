# tries: create thousands of files
# outcome: failed
# shows: created: [0-9]{1,3}$|created: [0-9]{1,3}\D
import os


def find(x):
    created = 0
    try:
        for number in range(3000):
            os.close(os.open(f"f{x}{number}", os.O_CREAT | os.O_WRONLY))
            created += 1
    except OSError:
        pass
    return f"created: {created}"


# @TELL@
