"""The folders of templates and assets."""

from pathlib import Path

_HERE = Path(__file__).parent


def find_data(name: str) -> Path:
    """Return the folder `templates` or `assets`, in a package or beside it in a checkout."""
    installed = _HERE / "_data" / name
    return installed if installed.is_dir() else _HERE.parent / name
