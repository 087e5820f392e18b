"""Long reads for staff, in a process that may die or fail."""

import os
import signal
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from etude_server import gradebook_data
from etude_server.staff_reader import StaffReader
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from tests.server.faults.conftest import children


def test_an_error_of_a_read_is_the_callers(tmp_path: Path) -> None:
    """An unreachable database is answered as such, and later reads succeed again."""
    with Database(f"sqlite:///{tmp_path}/etude.db") as database, StaffReader(database) as reader:
        upgrade_store(database)
        with database.write() as connection:
            connection.execute(text("ALTER TABLE grade RENAME TO gone"))
        with pytest.raises(OperationalError, match="no such table"):
            reader.read(gradebook_data.compute_statistics)
        with database.write() as connection:
            connection.execute(text("ALTER TABLE gone RENAME TO grade"))
        assert reader.read(gradebook_data.compute_statistics) == []


def test_a_killed_process_fails_no_read(tmp_path: Path) -> None:
    """The server reads in its place, and the next read starts another."""
    with Database(f"sqlite:///{tmp_path}/etude.db") as database:
        upgrade_store(database)
        others = children(os.getpid())
        with StaffReader(database) as reader:
            for _ in range(2):
                assert reader.read(gradebook_data.compute_statistics) == []
                (process,) = {*children(os.getpid())} - {*others}
                os.kill(process, signal.SIGKILL)
                assert reader.read(gradebook_data.compute_statistics) == []
        assert {*children(os.getpid())} <= {*others}
