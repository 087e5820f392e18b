"""The step before root's sandboxes: become an unprivileged user who can read the interpreter.

Root's rights must not reach the sandbox: RLIMIT_NPROC does not bind root, and bubblewrap started by
root keeps rights over the files it shows. Without these rights, an interpreter in a folder that
only root can enter (pyenv under /root) cannot be read. So, in a mount namespace of our own, each
such folder is covered by an empty one in which only the needed paths appear, at the same places.

Run as `drop_privileges.main([UID, COUNT, PATH, ..., COMMAND, ...])` with that many paths, in a
Python started for it. It imports only what it must: it runs before every sandbox of root's.
"""

# pathlib takes longer to import than all of this takes to run.
# ruff: noqa: PTH102, PTH103, PTH110, PTH116, PTH120

import os
import stat
import sys

from inside import syscalls  # type: ignore[import-not-found]


def uncover(paths: list[str]) -> None:
    """Make `paths` reachable for every user, in this mount namespace only.

    Raises:
        OSError: Without the right to mount.
    """
    closed: dict[str, list[str]] = {}
    for path in paths:
        above, topmost = path, ""  # folder that others cannot enter
        while (folder := os.path.dirname(above)) != above:
            if not os.stat(folder).st_mode & stat.S_IXOTH:
                topmost = folder
            above = folder
        if topmost:
            closed.setdefault(topmost, []).append(path)
    if not closed:
        return
    syscalls.unshare(syscalls.CLONE_NEWNS)
    syscalls.mount("none", "/", "", syscalls.MS_REC | syscalls.MS_PRIVATE)
    for folder, inside in closed.items():
        handles = {path: os.open(path, os.O_PATH) for path in inside}
        syscalls.mount("tmpfs", folder, "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, "mode=755")
        for path, handle in handles.items():
            if os.path.exists(path):  # already visible below another one
                continue
            os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
            if stat.S_ISDIR(os.fstat(handle).st_mode):
                os.mkdir(path, mode=0o755)
            else:
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
            flags = syscalls.MS_BIND | syscalls.MS_REC
            syscalls.mount(f"/proc/self/fd/{handle}", path, "", flags)
            os.close(handle)


def become(uid: int) -> None:
    """Set groups, group and user, for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def main(arguments: list[str]) -> None:
    """Uncover the paths, become the user, check, and execute the command."""
    os.umask(0o022)  # the folders made here are for another user
    uid, count, *rest = arguments
    needed, command = rest[: int(count)], rest[int(count) :]
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
