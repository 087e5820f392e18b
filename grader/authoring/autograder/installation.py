"""The package that an autograder installs: a wheel of this checkout, a file, or a requirement."""

import hashlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from grader.errors import UsageError

_ROOT = Path(__file__).parents[3]  # of the checkout, if this is one
_LOCK = _ROOT / "requirements" / "runtime.txt"
_DISTRIBUTIONS = (".whl", ".tar.gz")


@dataclass(frozen=True, slots=True)
class Installation:
    """A requirements file for pip, and the distribution that it may name."""

    requirements: str
    file: tuple[str, bytes] | None = None  # name and content

    @classmethod
    def of_checkout(cls) -> Self:
        """Build a wheel of the checkout that runs now, and pin all it needs by the lock.

        Raises:
            UsageError: this is no checkout, or the wheel cannot be built.
        """
        if not _LOCK.is_file():
            raise UsageError(
                "this Etude is installed, so there is no checkout to build it from; name what the "
                "autograder shall install with --etude: a wheel, or a requirement for pip"
            )
        with tempfile.TemporaryDirectory(prefix="etude-wheel-") as folder:
            command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
            done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)  # noqa: S603  our own
            built = list(Path(folder).iterdir())
            if done.returncode or not built:
                said = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason given"]
                raise UsageError(f"the wheel of this checkout cannot be built: {said[0]}")
            name, content = built[0].name, built[0].read_bytes()
        pinned = f"./{name} --hash=sha256:{hashlib.sha256(content).hexdigest()}\n"
        return cls(_LOCK.read_text(encoding="utf-8") + pinned, (name, content))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a path of a distribution, or a requirement.

        Raises:
            UsageError: there is no such file, or it is no requirement.
        """
        path = Path(text)
        if text.endswith(_DISTRIBUTIONS) and "://" not in text:
            try:
                return cls(f"./{path.name}\n", (path.name, path.read_bytes()))
            except OSError as error:
                raise UsageError(f"{text} cannot be read: {error.strerror}") from error
        if not text.strip() or text.startswith("-") or not text.isprintable():
            raise UsageError(f"{text!r} is no requirement for pip")
        return cls(f"{text}\n")
