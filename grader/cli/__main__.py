"""`python -I -m grader.cli`: the command `etude`, safe to run in a folder of a learner's files."""

import sys

# `-m` puts the working directory first on the path, where a learner's `random.py` would run inside
# the grader. With Python's own -I or -P it does not, and the first entry is the standard library.
# Without them, a folder `grader` in the working directory has replaced ours before this line runs.
if not sys.flags.safe_path:
    del sys.path[0]

from grader.cli.main import main

if __name__ == "__main__":
    main()
