"""Writing the site into a folder, and taking away only what an earlier build of ours put there."""

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from grader.errors import UsageError

# Lists what the build wrote, one path a line. A folder that holds it is ours to build into again.
MARKER = ".etude-site"


def write_site(files: Mapping[str, bytes], output: Path) -> None:
    """Write the files, and remove those that an earlier build wrote and this one did not.

    Files in the folder that no build of ours wrote stay as they are.

    Args:
        files: Contents by path, relative and with forward slashes.
        output: The folder; it is made if it is missing.

    Raises:
        UsageError: The folder holds something and is not one of ours, or it cannot be written.
    """
    earlier = _claim(output)
    try:
        output.mkdir(parents=True, exist_ok=True)
        # Before any file: should this build be cut short, the next one still knows what is ours.
        _write_marker(output, earlier | files.keys())
        for name, content in files.items():
            _write(output, name, content)
        for name in sorted(earlier - files.keys()):
            _remove(output, name)
        _write_marker(output, files)
    except OSError as error:
        raise UsageError(f"Cannot write the site to {output}: {error.strerror}.") from error


def _claim(output: Path) -> set[str]:
    """What an earlier build wrote here; an error unless the folder is empty or ours."""
    if not output.exists():
        return set()
    if not output.is_dir():
        raise UsageError(f"Cannot build the site into {output}: it is not a folder.")
    marker = output / MARKER
    if marker.is_file():
        return set(filter(_is_ours, marker.read_text("utf-8").splitlines()))
    if any(output.iterdir()):
        raise UsageError(
            f"Cannot build the site into {output}: it holds files that are not from an earlier "
            f"build. Choose an empty or a new folder."
        )
    return set()


def _is_ours(name: str) -> bool:
    """Whether a line of the marker can be a path that we wrote, for anyone may have edited it."""
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _write_marker(output: Path, names: Iterable[str]) -> None:
    _write(output, MARKER, "".join(f"{name}\n" for name in sorted(names)).encode())


def _write(output: Path, name: str, content: bytes) -> None:
    path = _inside(output, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # what is a link is replaced, not followed
    path.write_bytes(content)


def _remove(output: Path, name: str) -> None:
    path = _inside(output, name)
    path.unlink(missing_ok=True)
    while path.parent != output and path.parent.is_dir() and not any(path.parent.iterdir()):
        path = path.parent
        path.rmdir()


def _inside(output: Path, name: str) -> Path:
    path = output / name
    if not path.parent.resolve().is_relative_to(output.resolve()):
        raise UsageError(f"Cannot build the site into {output}: {name} lies behind a link.")
    return path
