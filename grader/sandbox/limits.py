"""Limits of submissions and of those who grade them, each with its reason.

Sizes are bytes, times are seconds. An exercise's own tests take milliseconds and a few megabytes,
so the limits stop accidents and attacks, and need no tuning. The size of one answer is limited by
the wire format: 64 MiB of arrays, 1 MiB of structure, see `MAX_*` in `inside/wire.py`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one submission, from its first line to its last test."""

    cpu_seconds: int = 3
    """CPU time: an endless loop ends here, or up to a second later with a report on where it is. A
    solution needs a hundredth of it."""

    wall_seconds: float = 8.0
    """Wall clock: for what sleeps or waits instead of computing; generous, as machines are busy."""

    address_space: int = 1 << 30
    """Virtual memory; Python, NumPy and OpenBLAS map a third of it before a submission begins."""

    stack: int = 8 << 20
    """The main thread's stack: the usual size on Linux, so recursion fails as it does elsewhere."""

    processes: int = 16
    """Processes of the sandbox together: a second lock, since neither a process nor a thread can be
    made in it. Threads would be counted over all submissions, and so tell one of another."""

    open_files: int = 64
    """Descriptors: a program that forgets to close files notices early."""

    file_size: int = 8 << 20
    """One file in the scratch folder."""

    tmpfs_bytes: int = 16 << 20
    """All files in the scratch folder together; they live in memory."""

    tmpfs_files: int = 256
    """Files and folders in the scratch folder."""

    output: int = 64 << 10
    """Bytes that may be printed: some thousand lines, more than anyone reads. A multiple of the
    page size, since the kernel refuses the page of a write that would cross the end."""


WORKER_OUTPUT = 64 << 10
"""Bytes that an author's code may print for one job; what is more is lost."""

ANSWERS_CAP = 256 << 20
"""Bytes in all the answers of a submission; those of a whole exercise come to kilobytes."""

RESULT_TIMES = 16
"""The most times that a result may be as large as what its test works with: inputs, expected
values, what the reference returns. An axis too many in a small test is a wrong shape to explain;
what is larger still is only sent to have the test compute on it."""

RESULT_SLACK = 1 << 20
"""Bytes that the arrays in a result may have besides: in most tests a wrong shape stays below, and
a product of two such matrices takes a tenth of a second."""

UNKNOWN_RESULT = 8 << 20
"""The same where neither a reference nor a solution says how large a right result is."""

WORKER_ADDRESS_SPACE = 4 << 30
"""Virtual memory of the grading process: what a test makes of a large result has an end."""

ONE_BLAS_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""The cores are shared, and a thread would keep the rights that its process gives up."""

SOURCE_CAP = 64 << 10
"""Bytes in a submission: a long solution has five thousand."""

START_SECONDS = 20.0
"""Seconds for a sandbox to start, after which it counts as broken; a tenth of one is usual."""

CONTROL_SECONDS = 10.0
"""Seconds for the sandbox to fork or end a child; milliseconds are usual."""

AUTHOR_SECONDS = 10.0
"""Seconds for an author's `given`, or the reference, in one draw: it may be an endless loop."""

PREPARE_SECONDS = 60.0
"""Seconds for all inputs and expected values of an exercise; most take milliseconds."""

GRACE_SECONDS = 1.0
"""Grace period after a submission's wall clock before a silent worker is ended: to compare and
explain what came in time, and to notice that the wall clock has run down."""

DEFAULT_LIMITS = Limits()

HIGHEST_LIMITS = Limits(cpu_seconds=30, wall_seconds=60.0, address_space=4 << 30, output=1 << 20)
"""The most that an exercise may ask for: one definition must not hold up a batch."""
