"""The folder of a learner's record."""

import os
from pathlib import Path

from grader.errors import UsageError

OVERRIDE = "ETUDE_DATA"
"""The environment's variable that names another folder."""


class RecordError(UsageError):
    """The record of a learner's progress cannot be read or written."""


def data_folder() -> Path:
    """Return the folder for what Etude keeps about its user; it need not exist.

    That is `$ETUDE_DATA`, or else the platform's folder for users' data: on Linux
    `$XDG_DATA_HOME/etude`, by default `~/.local/share/etude`.

    Raises:
        RecordError: this user has no known home.
    """
    given = os.environ.get(OVERRIDE)
    if given:
        return Path(given)
    from platformdirs import user_data_path  # noqa: PLC0415  a check imports as little as it can

    try:
        return user_data_path("etude", appauthor=False)
    except RuntimeError:  # a user without a name and without $HOME, as in some containers
        raise RecordError(f"there is no home folder; {OVERRIDE} can name another one") from None
