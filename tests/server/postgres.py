"""A private PostgreSQL server for benchmarks and tests: a folder with a socket in it."""

import os
import pwd
import signal
import subprocess
from pathlib import Path

import psycopg

_CAREFREE = ("fsync=off", "shared_buffers=32MB")  # for data that may be lost


def find_binaries() -> Path | None:
    """Return the folder of this machine's newest PostgreSQL, as Debian installs it, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return found[-1].parent if found else None


class PostgresServer:
    """A server in a private folder, reached by a socket there: no port, no shared data.

    Args:
        binaries: The folder of `postgres` and `initdb`.
        folder: An empty folder, which the user that runs the server comes to own.
        durable: True if commits wait for the disk, as in production.
    """

    def __init__(self, binaries: Path, folder: Path, *, durable: bool = False) -> None:
        self._binaries = binaries
        self._settings = () if durable else _CAREFREE
        self.folder = folder
        self._as_owner = _as_unprivileged(folder)
        self._run(
            "initdb", "--auth=trust", "--username=etude", "--no-sync", f"--pgdata={folder}/data"
        )
        self._process = self.start()

    @property
    def pid(self) -> int:
        """The id of the server's main process."""
        return self._process.pid

    def start(self) -> "subprocess.Popen[bytes]":
        """Start the server, and wait until it responds."""
        settings = ("max_connections=60", *self._settings)
        options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={self.folder}"]
        options += [word for setting in settings for word in ("-c", setting)]
        command = [str(self._binaries / "postgres"), "-D", f"{self.folder}/data", *options]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen([*self._as_owner, *command], stdout=log, stderr=log)
        while True:
            ready = [str(self._binaries / "pg_isready"), "-h", str(self.folder), "-q"]
            if subprocess.run(ready, check=False).returncode == 0:
                return process
            if process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text())
            signal.sigtimedwait([], 0.05)

    def kill(self) -> None:
        """Kill the server, as a power cut would."""
        pid = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def restart(self) -> None:
        """Start the server again after `kill`."""
        self._process = self.start()

    def stop(self) -> None:
        """Stop the server."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait()

    def url(self, name: str) -> str:
        """Return the address of one of its databases."""
        return f"postgresql://etude@/{name}?host={self.folder}"

    def make(self, name: str, template: str = "template1") -> str:
        """Create a database, and return its address."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return self.url(name)

    def drop(self, name: str) -> None:
        """Drop a database, even while it is in use."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as_owner, str(self._binaries / program), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _as_unprivileged(folder: Path) -> list[str]:
    """Return arguments that run a command as an unprivileged user, since PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return []
    owner = pwd.getpwnam("postgres")
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]
