"""Runs a command as in a container without privileges: `container.py OPTIONS COMMAND...`.

There are no user namespaces. Root has only an engine's default capabilities, so it cannot mount;
with `--user` the command runs as an ordinary user. Files in folders that only root may enter are
made visible first, as an image would contain them.
"""

import argparse
import errno
import os
import struct
import sys
from pathlib import Path

_SANDBOX = Path(__file__).parents[2] / "grader" / "sandbox"
sys.path.insert(0, str(_SANDBOX))
import drop_privileges  # type: ignore[import-not-found]  # noqa: E402  needs the line above
from in_child import syscalls  # type: ignore[import-not-found]  # noqa: E402  the same

# chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap, net_bind_service, net_raw,
# sys_chroot, mknod, audit_write, setfcap: the default capabilities of root in a container.
_DEFAULT_CAPABILITIES = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}
_LAST_CAPABILITY = 63
_PR_CAPBSET_DROP = 24
_LANDLOCK_CREATE_RULESET, _CLONE3 = 444, 435
_CLONE, _UNSHARE = {"x86_64": (56, 272), "aarch64": (220, 97)}[syscalls.MACHINE]
_CLONE_NEWUSER = 0x1000_0000
# Classic BPF, as in linux/filter.h and linux/seccomp.h.
_LOAD, _AND, _EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x06
_ALLOW, _ERRNO, _NUMBER, _FIRST_ARGUMENT = 0x7FFF_0000, 0x0005_0000, 0, 16


def main() -> None:
    """Give up everything that a container lacks, then exec the command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--user", type=int, help="an ordinary user to become")
    parser.add_argument("--user-namespaces", action="store_true", help="leave them, as few do")
    parser.add_argument("--without-landlock", action="store_true", help="as on an old kernel")
    parser.add_argument("--visible", action="append", default=[], help="a path that must be seen")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    is_root = os.geteuid() == 0
    if is_root:
        drop_privileges.uncover(given.visible)
        # Through the new mounts, since a file cannot be moved between two mounts.
        os.chdir(Path.cwd())
    else:
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    if not given.user_namespaces:
        syscalls.load_filter(_without_user_namespaces())
    if given.without_landlock:
        syscalls.load_filter(_without_landlock())
    if is_root:
        _drop_capabilities()
        if given.user is not None:
            drop_privileges.become(given.user)
    os.execvp(given.command[0], given.command)  # noqa: S606  what it is for


def _drop_capabilities() -> None:
    for number in range(_LAST_CAPABILITY + 1):
        if number not in _DEFAULT_CAPABILITIES:
            try:
                syscalls.prctl(_PR_CAPBSET_DROP, number)
            except OSError as error:
                # This kernel does not have the capability.
                if error.errno != errno.EINVAL:
                    raise


def _without_landlock() -> bytes:
    return _program(
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, 0, 1, _LANDLOCK_CREATE_RULESET),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
        (_RETURN, 0, 0, _ALLOW),
    )


def _without_user_namespaces() -> bytes:
    return _program(
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, 0, 1, _CLONE3),  # glibc falls back to `clone`, whose flags a filter can read
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
        (_EQUAL, 1, 0, _CLONE),
        (_EQUAL, 0, 3, _UNSHARE),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_AND, 0, 0, _CLONE_NEWUSER),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
    )


def _program(*instructions: tuple[int, int, int, int]) -> bytes:
    return b"".join(struct.pack("=HBBI", *each) for each in instructions)


if __name__ == "__main__":
    main()
