"""The run of the server: the service, behind uvicorn, until a signal."""

import resource
import signal
import sys

import uvicorn
from fastapi import FastAPI

from etude_server import logs
from etude_server.app import create_app
from etude_server.service import open_service
from etude_server.settings import Settings

# Most open files: each connection is one, and an event stream stays open.
_MAX_FILES = 65_536
# Time for requests in progress; few take longer than milliseconds.
_DRAIN_SECONDS = 3


def run_server(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM; gradings that end within seconds are finished.

    Raises:
        UsageError, DefinitionError: The settings or the exercises are invalid.
    """
    logs.configure_logs()
    with open_service(settings) as service:
        app = create_app(service)
        service.catalog.reload_on_hangup(service.database)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted_limit = _MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, _MAX_FILES)
        if soft != resource.RLIM_INFINITY and soft < wanted_limit:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted_limit, hard))
        sys.stdout.write(f"http://{settings.host}:{settings.port}/ (Ctrl-C ends)\n")
        sys.stdout.flush()
        # Uvicorn raises the signal again at its end, when the service still has to stop.
        signal.signal(signal.SIGTERM, lambda *_: None)
        server = uvicorn.Server(make_uvicorn_config(app, settings))
        app.state.is_ending = lambda: server.should_exit  # uvicorn waits for open streams
        server.run()


def make_uvicorn_config(app: FastAPI, settings: Settings) -> uvicorn.Config:
    """Return uvicorn's configuration."""
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http="h11",
        log_config=None,  # `logs` has configured logging
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.public_url),
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )
