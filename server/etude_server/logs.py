"""Logs as JSON lines on stderr, with the request's id.

No line contains a submission's text, a token or an address. An error is logged by its type and
place, because its message may quote a submission. A line about the stderr of the grading processes,
where an author's code may print a submission's result, contains only the length, the kind of error
and places in our own files.
"""

import builtins
import contextlib
import logging
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, MutableMapping
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Final, TextIO, TypeAlias

import structlog

import grader
from etude_server.store.database import describe_cause
from grader import errors
from grader.sandbox.output_file import WORKER_PREFIX

_QUIET_LOGGERS: Final = ("procrastinate", "uvicorn", "sqlalchemy", "alembic", "psycopg")
_MAX_FRAMES: Final = 12  # innermost frames of a traceback
_MAX_LINE_LENGTH: Final = 65_536  # longest line of the log, in bytes
_TRACEBACK_GAP_SECONDS: Final = 0.2  # a pause this long ends a traceback
_JOIN_SECONDS: Final = 2.0  # wait for output of a process that outlives the pool
_PACKAGE_FOLDER: Final = Path(grader.__file__).parent
_OWN_FRAME: Final = re.compile(
    rf'^ *File "{re.escape(str(_PACKAGE_FOLDER))}/([\w/]+\.py)", line (\d+)', re.MULTILINE
)
_ERROR_NAME: Final = re.compile(r"^(?:[\w.]*\.)?(\w+)(?::|$)", re.MULTILINE)
_KNOWN_ERRORS: Final = {
    name
    for name, value in (vars(builtins) | vars(errors)).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}

_Fields: TypeAlias = MutableMapping[str, Any]

_log = structlog.get_logger(__name__)


def configure_logs(stream: TextIO | None = None) -> None:
    """Write all logs of this process as JSON, including the libraries', by default to stderr."""
    shared_processors: list[Callable[..., Any]] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _describe_error,
    ]
    structlog.configure(
        processors=[*shared_processors, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[_redact_arguments, *shared_processors],
            pass_foreign_args=True,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    threading.excepthook = _log_thread_failure
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    for name in _QUIET_LOGGERS:
        library = logging.getLogger(name)
        library.handlers.clear()
        library.propagate = True
        library.setLevel(logging.WARNING)


def _log_thread_failure(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None and not isinstance(arguments.exc_value, SystemExit):
        name = arguments.thread.name if arguments.thread is not None else None
        _log.error("a thread failed", thread=name, exc_info=arguments.exc_value)


def _describe_error(_logger: object, _method: str, fields: _Fields) -> _Fields:
    """Add an error's cause and place instead of its message, which may quote anything."""
    info = fields.pop("exc_info", None)
    error = info[1] if isinstance(info, tuple) else info
    if info is True:
        error = sys.exc_info()[1]
    if isinstance(error, BaseException):
        fields["error"] = describe_cause(error)
        fields["at"] = [
            f"{frame.filename}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__)[-_MAX_FRAMES:]
        ]
    return fields


def _redact_arguments(_logger: object, _method: str, fields: _Fields) -> _Fields:
    """Keep a library's message, but of its arguments only numbers and causes of errors."""
    record = fields.get("_record")
    if isinstance(record, logging.LogRecord):
        values = fields.pop("positional_args", ())
        causes = (
            describe_cause(value) if isinstance(value, BaseException) else "..." for value in values
        )
        pairs = zip(values, causes, strict=True)
        safe = tuple(value if isinstance(value, int | float) else cause for value, cause in pairs)
        pattern = str(record.msg)
        # The message may format a text by "%d".
        with contextlib.suppress(TypeError, ValueError):
            pattern = pattern % safe if safe else pattern
        fields["event"] = pattern.splitlines()[0][:200]
    return fields


@contextlib.contextmanager
def capture_grader_stderr() -> Iterator[int]:
    """Yield a descriptor for the grading processes' stderr; log that something was written."""
    reader, writer = os.pipe()
    thread = threading.Thread(target=_log_stderr, args=(reader,), name="grader-stderr", daemon=True)
    thread.start()
    try:
        yield writer
    finally:
        os.close(writer)
        thread.join(_JOIN_SECONDS)


def _log_stderr(reader: int) -> None:
    with open(reader, "rb", buffering=0) as pipe:
        while output := pipe.read(_MAX_LINE_LENGTH):
            while len(output) < _MAX_LINE_LENGTH and wait([reader], _TRACEBACK_GAP_SECONDS):
                more_output = pipe.read(_MAX_LINE_LENGTH)
                if not more_output:
                    break
                output += more_output
            text = output.decode(errors="replace").replace(WORKER_PREFIX, "")
            error_names = [name for name in _ERROR_NAME.findall(text) if name in _KNOWN_ERRORS]
            _log.warning(
                "a grading process wrote to stderr",
                characters=len(text),
                error=error_names[-1] if error_names else None,
                # A path that is not one of our files may be a quotation.
                at=[
                    f"{path}:{line[:7]}"
                    for path, line in _OWN_FRAME.findall(text)
                    if (_PACKAGE_FOLDER / path).is_file()
                ],
            )
