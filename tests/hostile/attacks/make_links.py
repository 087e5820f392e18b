# tries: make links, nodes and pipes that lead out of its folder or that others would follow
# outcome: failed
# shows: done: \[\]
import os
import stat


ATTEMPTS = {
    "symlink": lambda: os.symlink("@EXERCISE_PATH@", "link"),
    "symlink to root": lambda: os.symlink("/proc/self/root", "root"),
    "link": lambda: os.link("@PEER_FILE@", "hard"), "link to code": lambda: os.link(os.__file__, "hard2"),
    "character device": lambda: os.mknod("zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5)),
    "block device": lambda: os.mknod("disk", 0o666 | stat.S_IFBLK, os.makedev(254, 0)),
    "pipe": lambda: os.mkfifo("pipe"), "mode": lambda: os.chmod(".", 0o7777),
    "owner": lambda: os.chown(".", 0, 0), "attribute": lambda: os.setxattr(".", "user.a", b"b"),
    "root": lambda: os.chroot("."), "priority": lambda: os.nice(-1),
}


# @ATTEMPTS@


# @TELL@
