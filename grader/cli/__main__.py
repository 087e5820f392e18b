"""`python -I -m grader.cli`: like `etude`, and as safe where a learner's files lie."""

import sys

# `-m` puts the working directory first, where a learner's `random.py` would run in the grader.
# (With Python's own -I or -P it does not, and the first entry is the standard library's. Without
# them a folder `grader` in the working directory has been taken for ours before this line.)
if not sys.flags.safe_path:
    del sys.path[0]

from grader.cli.main import main

if __name__ == "__main__":
    main()
