# tries: read, overwrite, cut, rename, replace and remove a file that anybody may write to
# outcome: failed
# shows: done: \[\]
import os

PATH = "@PEER_FILE@"


def write():
    with open(PATH, "w") as file:
        file.write("hostile")


ATTEMPTS = {
    "read": lambda: open(PATH).read(),
    "write": write,
    "append": lambda: open(PATH, "a").write("hostile"),
    "truncate": lambda: os.truncate(PATH, 0),
    "rename": lambda: os.rename(PATH, PATH + ".old"),
    "replace": lambda: os.replace(PATH, "mine"),
    "unlink": lambda: os.unlink(PATH),
    "chmod": lambda: os.chmod(PATH, 0o600),
    "link": lambda: os.link(PATH, "linked"),
    "create": lambda: open(PATH + ".new", "x").close(),
    "mkdir": lambda: os.mkdir(PATH + ".folder"),
    "symlink": lambda: os.symlink("/", PATH + ".link"),
    "mkfifo": lambda: os.mkfifo(PATH + ".fifo"),
    "setxattr": lambda: os.setxattr(PATH, "user.a", b"b"),
    "listxattr": lambda: os.listxattr(PATH),
}


# @ATTEMPTS@


# @TELL@
