"""Pyodide, run by Node as a worker in a browser runs it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from grader.browser.shipping import bundle
from tests.browser.tools import MissingError


def find_node() -> str:
    program = shutil.which("node")
    if program is None:
        raise MissingError("there is no node on the path")
    return program


def in_pyodide(node: list[str], calls: list[list[str]], folder: Path) -> list[Any]:
    """Answer calls as a worker in a browser does; nothing may go to the console."""
    archive, asked = folder / "bundle.zip", folder / "calls"
    archive.write_bytes(bundle())
    asked.write_text("".join(f"{json.dumps(call)}\n" for call in calls))
    command = [*node, str(archive), str(asked)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert (said["shown"], done.stderr) == ([], "")
    return [None if answer is None else json.loads(answer) for answer in said["answers"]]
