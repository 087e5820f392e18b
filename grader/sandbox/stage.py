"""Run as root before the sandbox: become nobody, without losing sight of the interpreter.

Root's rights must not reach the sandbox: RLIMIT_NPROC does not bind root, and bubblewrap started by
root keeps rights over what it shows. An interpreter in a folder that only root can enter (pyenv
under /root) would be lost with those rights. So, in a mount namespace of our own, each such folder
is covered by an empty one in which just the paths we need appear again, at the same places.

Run as `python -I -S -B stage.py UID PATHS -- COMMAND ...` with PATHS a JSON list.
Standard library only.
"""

import json
import os
import stat
import sys
from pathlib import Path

try:
    from .inside import syscalls
except ImportError:  # run as a script
    sys.path.insert(0, str(Path(__file__).parent))
    from inside import syscalls  # type: ignore[import-not-found,no-redef]

_OTHERS_ENTER = stat.S_IXOTH


def _closed_ancestor(path: Path) -> Path | None:
    """Return the topmost folder above `path` that others cannot enter."""
    for folder in reversed(path.parents):
        if not folder.stat().st_mode & _OTHERS_ENTER:
            return folder
    return None


def uncover(paths: list[Path]) -> None:
    """Make `paths` reachable for every user, in this mount namespace only.

    Raises:
        OSError: without the right to mount.
    """
    closed: dict[Path, list[Path]] = {}
    for path in paths:
        folder = _closed_ancestor(path)
        if folder is not None:
            closed.setdefault(folder, []).append(path)
    if not closed:
        return
    syscalls.unshare(syscalls.CLONE_NEWNS)
    syscalls.mount("none", "/", "", syscalls.MS_REC | syscalls.MS_PRIVATE)
    for folder, inside in closed.items():
        _cover(folder, inside)


def _cover(folder: Path, inside: list[Path]) -> None:
    handles = {path: os.open(path, os.O_PATH) for path in inside}
    syscalls.mount(
        "tmpfs", str(folder), "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, "mode=755"
    )
    for path, handle in handles.items():
        if path.exists():  # already visible below another one
            continue
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            path.mkdir(mode=0o755)
        else:
            path.touch(mode=0o644)
        flags = syscalls.MS_BIND | syscalls.MS_REC
        syscalls.mount(f"/proc/self/fd/{handle}", str(path), "", flags)
        os.close(handle)


def become(uid: int) -> None:
    """Give up root for good: groups, group and user."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def main(arguments: list[str]) -> None:
    """Uncover, become nobody, check, and turn into the command."""
    os.umask(0o022)  # what is made here is for another user
    uid, paths, _, *command = arguments
    needed = [Path(path) for path in json.loads(paths)]
    try:
        uncover(needed)
    except OSError as error:
        print(f"cannot make the interpreter visible to uid {uid}: {error}", file=sys.stderr)  # noqa: T201
    become(int(uid))
    os.chdir("/")
    for path in needed:
        if not os.access(path, os.R_OK):
            sys.exit(
                f"uid {uid}, which the sandbox runs as, cannot read {path}; "
                f"make it readable (chmod -R o+rX), or use an interpreter elsewhere"
            )
    os.execv(command[0], command)  # noqa: S606  our own command


if __name__ == "__main__":
    main(sys.argv[1:])
