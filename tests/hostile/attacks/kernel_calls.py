# tries: every system call that could start, trace, mount, share or reach into the kernel
# outcome: failed
# shows: allowed: \{\}
# Arguments are all zero: a call that gets past the filter fails with another error or does nothing.
import ctypes
import errno
import os

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
# name: number on x86_64, on aarch64
CALLS = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "kcmp": (312, 272),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "unshare": (272, 97), "setns": (308, 268),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "swapon": (167, 224),
    "bpf": (321, 280), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "io_setup": (206, 0), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "userfaultfd": (323, 282), "perf_event_open": (298, 241),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "openat2": (437, 437), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "personality": (135, 92), "clone3": (435, 435), "fork": (57, None),
    "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281), "socket": (41, 198),
    "socketpair": (53, 199), "bind": (49, 200), "listen": (50, 201), "connect": (42, 203),
    "accept": (43, 202), "accept4": (288, 242), "getsockname": (51, 204), "getpeername": (52, 205),
    "setsockopt": (54, 208), "getsockopt": (55, 209), "shutdown": (48, 210), "sendmmsg": (307, 269),
    "recvmmsg": (299, 243), "seccomp": (317, 277), "capset": (126, 91), "capget": (125, 90),
    "setuid": (105, 146), "setgid": (106, 144), "setresuid": (117, 147), "setresgid": (119, 149),
    "setgroups": (116, 159), "setfsuid": (122, 151), "setsid": (112, 157), "setpgid": (109, 154),
    "setrlimit": (160, 164), "setpriority": (141, 140), "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119), "sched_setattr": (314, 274), "ioprio_set": (251, 30),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "msgget": (68, 186), "semget": (64, 190),
    "mq_open": (240, 180), "inotify_init1": (294, 26), "fanotify_init": (300, 262),
    "symlinkat": (266, 36), "linkat": (265, 37), "mknodat": (259, 33), "fchmodat": (268, 53),
    "fchmod": (91, 52), "fchownat": (260, 54), "fchown": (93, 55), "setxattr": (188, 5), "getxattr": (191, 8),
    "fsetxattr": (190, 7), "timer_create": (222, 107), "timerfd_create": (283, 85), "signalfd4": (289, 74),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "tkill": (200, 130),
    "migrate_pages": (256, 238), "move_pages": (279, 239), "mbind": (237, 235), "set_mempolicy": (238, 237),
    "mlock": (149, 228), "mlockall": (151, 230), "remap_file_pages": (216, 234), "pkey_alloc": (330, 289),
    "syslog": (103, 116), "reboot": (169, 142), "acct": (163, 89), "adjtimex": (159, 171),
    "clock_settime": (227, 112), "settimeofday": (164, 170), "sethostname": (170, 161), "quotactl": (179, 60),
    "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None), "splice": (275, 76),
    "vmsplice": (278, 75), "tee": (276, 77), "sendfile": (40, 71), "copy_file_range": (326, 285),
    "landlock_create_ruleset": (444, 444), "wait4": (61, 260), "waitid": (247, 95), "flock": (73, 32),
    "chmod": (90, None), "symlink": (88, None), "link": (86, None), "mknod": (133, None),
    "uselib": (134, None), "sysfs": (139, None), "lookup_dcookie": (212, 18), "nfsservctl": (180, 42),
    "truncate": (76, 45), "utimensat": (280, 88), "utime": (132, None), "utimes": (235, None),
    "futimesat": (261, None), "futex_waitv": (449, 449), "cachestat": (451, 451), "map_shadow_stack": (453, 453),
    "listmount": (458, 458), "lsm_set_self_attr": (460, 460), "setxattrat": (463, 463),
}
COLUMN = 1 if os.uname().machine == "aarch64" else 0


def find(x):
    allowed = {}
    for name, numbers in CALLS.items():
        number = numbers[COLUMN]
        if number is None:
            continue
        ctypes.set_errno(0)
        result = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(0)] * 6)
        if result == 0 and name in ("fork", "vfork", "clone3"):
            os._exit(0)  # this is the child that should not be
        error = ctypes.get_errno()
        if result >= 0 or error not in (errno.EPERM, errno.ENOSYS):
            allowed[name] = result if result >= 0 else errno.errorcode.get(error)
    return f"allowed: {allowed}"


# @TELL@
