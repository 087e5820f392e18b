"""The limits of submissions and of workers, each with its reason.

Sizes are bytes, times are seconds. The tests of an exercise usually take milliseconds and a few
megabytes, so the limits stop accidents and attacks and need no tuning. The wire format limits the
size of one answer: 64 MiB of arrays and 1 MiB of structure, see `MAX_*` in `in_child/wire.py`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one submission, from its first line to its last test."""

    cpu_seconds: int = 3
    """CPU time. It ends an endless loop, up to a second later if the loop's place is reported. A
    solution needs a hundredth of it."""

    wall_seconds: float = 8.0
    """Wall clock, for code that sleeps or waits. It is generous, since machines may be busy."""

    address_space: int = 1 << 30
    """Virtual memory. Python, NumPy and OpenBLAS map a third of it before a submission starts."""

    stack: int = 8 << 20
    """Stack of the main thread: the usual size on Linux, so that recursion fails as usual."""

    processes: int = 16
    """Processes of the whole sandbox. This is a second barrier, since the sandbox forbids new
    processes and threads. Threads of all submissions would be counted together, so that one
    submission could notice another."""

    open_files: int = 64
    """File descriptors, so that a program that forgets to close files fails early."""

    file_size: int = 8 << 20
    """Size of one file in the scratch folder, which no exercise needs to fill."""

    tmpfs_bytes: int = 16 << 20
    """Size of all files in the scratch folder. They are kept in memory, so they are few."""

    tmpfs_files: int = 256
    """Number of files and folders in the scratch folder, since each takes memory of the kernel."""

    output: int = 64 << 10
    """Printed output: about a thousand lines, more than anyone reads. It must be a multiple of the
    page size, since the kernel rejects a write to the page that would cross the end."""


MAX_WORKER_OUTPUT_BYTES = 64 << 10
"""Bytes that an author's code may print for one job. Further output is lost."""

MAX_ANSWER_BYTES = 256 << 20
"""Bytes of all answers of a submission. A usual exercise needs some kilobytes."""

MAX_RESULT_FACTOR = 16
"""The maximum size of a result, as a multiple of the largest value in its test: an input, the
expected value or a result of the reference. A surplus axis in a small test stays below it, so that
the wrong shape can be explained. Larger results would only make the test slow."""

RESULT_ALLOWANCE_BYTES = 1 << 20
"""Bytes that are added to this maximum. In most tests a wrong shape stays below, and a product of
two matrices of this size takes a tenth of a second."""

DEFAULT_RESULT_BYTES = 8 << 20
"""Bytes that are added in place of these if the size of a right result is unknown."""

WORKER_ADDRESS_SPACE_BYTES = 4 << 30
"""Virtual memory of a worker, in which a test may compute with a large result."""

ONE_BLAS_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Environment variables that keep BLAS from starting threads: the cores are shared, and a thread
would keep the rights that its process gives up."""

MAX_SOURCE_BYTES = 64 << 10
"""Bytes of a submission's source. A long solution has five thousand."""

START_SECONDS = 20.0
"""Seconds after which a sandbox that has not started counts as broken. Usually it takes 0.1 s."""

CONTROL_SECONDS = 10.0
"""Seconds for the sandbox to fork or end a child, which usually takes milliseconds."""

AUTHOR_SECONDS = 10.0
"""Seconds for an author's `given` or the reference in one draw, since it may loop endlessly."""

PREPARE_SECONDS = 60.0
"""Seconds for all inputs and expected values of an exercise, which usually take milliseconds."""

GRACE_SECONDS = 1.0
"""Seconds after a submission's wall-clock limit before a silent worker is killed. The worker needs
them to notice the time-out, and to compare and explain the results that came in time."""

DEFAULT_LIMITS = Limits()

HIGHEST_LIMITS = Limits(cpu_seconds=30, wall_seconds=60.0, address_space=4 << 30, output=1 << 20)
"""The highest limits that an exercise may set, so that one definition cannot hold up a batch."""
