"""The change from root to an unprivileged user who can read the interpreter, before a sandbox.

Root's rights must not reach the sandbox: RLIMIT_NPROC does not limit root, and bubblewrap keeps
root's rights over the files that it mounts. But an unprivileged user cannot read an interpreter in
a folder that only root can enter, such as pyenv under /root. So each such folder is covered, in a
mount namespace of our own, by an empty one in which only the needed paths appear.

It is run as `drop_privileges.main([UID, COUNT, PATH, ..., COMMAND, ...])` with COUNT paths, in a
new Python process. It imports little, since it runs before every sandbox that root starts.
"""

# Importing pathlib would take longer than this module takes to run.
# ruff: noqa: PTH102, PTH103, PTH110, PTH116, PTH120

import os
import stat
import sys

from in_child import syscalls  # type: ignore[import-not-found]  # beside this script


def uncover(paths: list[str]) -> None:
    """Make `paths` reachable for every user, in this mount namespace only.

    Raises:
        OSError: This process may not mount.
    """
    closed: dict[str, list[str]] = {}
    for path in paths:
        above, topmost = path, ""  # `topmost`: the highest folder that others cannot enter
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
    for folder, needed_paths in closed.items():
        handles = {path: os.open(path, os.O_PATH) for path in needed_paths}
        syscalls.mount("tmpfs", folder, "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, "mode=755")
        for path, handle in handles.items():
            if os.path.exists(path):  # already visible inside another needed path
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
    """Set the user, the group and the supplementary groups permanently."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def main(arguments: list[str]) -> None:
    """Uncover the paths, become the user, check access, and execute the command."""
    os.umask(0o022)  # so that the unprivileged user can enter the folders made here
    uid, count, *rest = arguments
    needed, command = rest[: int(count)], rest[int(count) :]
    try:
        uncover(needed)
    except OSError as error:
        print(f"cannot make the interpreter visible to uid {uid}: {error}", file=sys.stderr)  # noqa: T201  a script's own error
    become(int(uid))
    os.chdir("/")
    for path in needed:
        if not os.access(path, os.R_OK):
            sys.exit(
                f"uid {uid}, which the sandbox runs as, cannot read {path}; "
                f"make it readable (chmod -R o+rX), or use an interpreter elsewhere"
            )
    os.execv(command[0], command)  # noqa: S606  our own command
