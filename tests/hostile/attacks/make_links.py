# tries: make links, nodes and pipes that lead out of its folder or that others would follow
# outcome: failed
# shows: made: \[\]
import os
import stat


def find(x):
    made = []
    for attempt in (
        lambda: os.symlink("@EXERCISE_PATH@", "link"), lambda: os.symlink("/proc/self/root", "root"),
        lambda: os.link("@PEER_FILE@", "hard"), lambda: os.link(os.__file__, "hard2"),
        lambda: os.mknod("zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5)),
        lambda: os.mknod("disk", 0o666 | stat.S_IFBLK, os.makedev(254, 0)),
        lambda: os.mkfifo("pipe"), lambda: os.chmod(".", 0o7777), lambda: os.chown(".", 0, 0),
        lambda: os.setxattr(".", "user.a", b"b"), lambda: os.chroot("."), lambda: os.nice(-1),
    ):
        try:
            attempt()
            made.append(len(made))
        except OSError:
            pass
    return f"made: {made}"


# @TELL@
