"""Resolution of the names and paths after `etude verify` and `lint`; no file is read."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.definitions.files import (
    LESSON_SUFFIX,
    TRACK_FILE,
    exercise_files,
    exists,
    files_by_folder,
    folder_list,
    id_in_name,
    is_path,
    path_hint,
)
from grader.definitions.wording import did_you_mean, quote
from grader.errors import UsageError


@dataclass(frozen=True, slots=True)
class TargetGroup:
    """Exercise files that are checked together: a whole track, or files named one by one."""

    files: tuple[Path, ...]
    track: Path | None = None  # the path of the track.yaml


def find_targets(names: Iterable[str], *folders: Path) -> list[TargetGroup]:
    """Return the groups for names of exercises, tracks, files or folders; all groups without names.

    Raises:
        UsageError: A name matches nothing; the message suggests the closest one.
    """
    names = list(dict.fromkeys(names))
    groups = [group for name in names for group in _find_groups(name, folders)]
    seen: set[Path] = set()
    targets = []
    for group in groups if names else _list_groups(*folders):
        files = tuple(path for path in group.files if path.resolve() not in seen)
        seen.update(path.resolve() for path in files)
        if files or group.track is not None:
            targets.append(TargetGroup(files, group.track))
    return targets


def _find_groups(name: str, folders: Sequence[Path]) -> Iterator[TargetGroup]:
    path = Path(name)
    if not is_path(name):
        yield _find_by_id(name, folders)
    elif path.name == TRACK_FILE and exists(path):
        yield _make_track_group(path.parent)
    elif exists(path / TRACK_FILE):
        yield _make_track_group(path)
    elif path.is_dir():
        yield from _list_groups(path)
    elif not exists(path):
        raise UsageError(f"no file or folder '{path}'")
    elif path.suffix == LESSON_SUFFIX:
        raise UsageError(f"'{path}' is not an exercise; a lesson is checked by `etude lesson run`")
    else:
        yield TargetGroup((path,))


def _find_by_id(name: str, folders: Sequence[Path]) -> TargetGroup:
    """Find an exercise or track of the collection by its id."""
    files = files_by_folder(*folders)
    paths = [path for paths in files.values() for path in paths]
    tracks = [below for below in files if exists(below / TRACK_FILE)]
    names = [*map(id_in_name, paths), *(below.name for below in tracks)]
    matches = [path for path, own in zip([*paths, *tracks], names, strict=True) if own == name]
    if not matches:
        hint = did_you_mean(name, names) or f" in {folder_list(folders)}"
        raise UsageError(f"no exercise or track {quote(name)}{hint}{path_hint(name)}")
    if len(matches) > 1:
        raise UsageError(
            f"{quote(name)} is both {matches[0]} and {matches[1]}; name one by its path"
        )
    return _make_track_group(matches[0]) if matches[0] in tracks else TargetGroup((matches[0],))


def _list_groups(*folders: Path) -> Iterator[TargetGroup]:
    files = files_by_folder(*folders)
    is_match = False
    for below, paths in files.items():
        track = below / TRACK_FILE
        if paths or exists(track):
            is_match = True
            yield TargetGroup(tuple(paths), track if exists(track) else None)
    if not is_match:
        raise UsageError(f"there is no exercise in {folder_list(folders)}")


def _make_track_group(folder: Path) -> TargetGroup:
    return TargetGroup(tuple(exercise_files(folder)), folder / TRACK_FILE)
