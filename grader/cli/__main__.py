"""`python -m grader.cli`: like `etude`, and as safe where a learner's files lie."""

import os
import sys

# `-m` puts the working directory first, where a learner's `random.py` would run in the grader.
sys.path[:] = [path for path in sys.path if path not in ("", os.getcwd())]  # noqa: PTH109  compares text

from grader.cli.main import main  # noqa: E402  only now is the path safe

if __name__ == "__main__":
    main()
