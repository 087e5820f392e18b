"""Files of others are opened as they are: no link is followed, nothing is waited for."""

import os
import socket
from contextlib import chdir
from pathlib import Path

import pytest

from grader.safe_files import FolderError, IrregularFileError, LinkError, open_regular


def test_a_regular_file_is_opened(tmp_path: Path) -> None:
    """By its path, and below a folder that a link leads to."""
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "sub" / "file").write_bytes(b"text")
    (tmp_path / "alias").symlink_to("in")
    path = tmp_path / "alias" / "sub" / "file"
    for below in (None, tmp_path / "alias"):
        with open_regular(path, below=below) as file:
            assert file.read() == b"text"


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    """A folder, a FIFO without a writer, a socket, a device; no descriptor is left open."""
    os.mkfifo(tmp_path / "fifo")
    before = os.listdir("/proc/self/fd")  # noqa: PTH208  names
    with socket.socket(socket.AF_UNIX) as server, chdir(tmp_path):
        server.bind("socket")
    with pytest.raises(FolderError):
        open_regular(tmp_path)
    for path in (tmp_path / "fifo", Path("/dev/null")):
        with pytest.raises(IrregularFileError):
            open_regular(path)
    with pytest.raises(OSError, match="No such device"):
        open_regular(tmp_path / "socket")
    assert os.listdir("/proc/self/fd") == before  # noqa: PTH208  names


def test_a_link_is_refused(tmp_path: Path) -> None:
    """To a file, to nothing, to itself; a folder on the way only below the folder that is named."""
    (tmp_path / "file").touch()
    for name, target in (("a", "file"), ("b", "nothing"), ("c", "c")):
        (tmp_path / name).symlink_to(target)
        for below in (None, tmp_path):
            with pytest.raises(LinkError):
                open_regular(tmp_path / name, below=below)
    (tmp_path / "way").symlink_to(tmp_path)
    open_regular(tmp_path / "way" / "file").close()
    with pytest.raises(OSError, match="Not a directory"):
        open_regular(tmp_path / "way" / "file", below=tmp_path)
