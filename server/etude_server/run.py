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
_FILES = 65_536
# Time for requests in progress; few take longer than milliseconds.
_DRAIN_SECONDS = 3


def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM; gradings that end within seconds are finished.

    Raises:
        UsageError, DefinitionError: The settings or the exercises are invalid.
    """
    logs.configure()
    with open_service(settings) as service:
        app = create_app(service)
        service.catalog.reload_on_hangup(service.database)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        limit = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
        if soft != resource.RLIM_INFINITY and soft < limit:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
        sys.stdout.write(f"http://{settings.host}:{settings.port}/ (Ctrl-C ends)\n")
        sys.stdout.flush()
        # Uvicorn raises the signal again at its end, when the service still has to stop.
        signal.signal(signal.SIGTERM, lambda *_: None)
        server = uvicorn.Server(configuration(app, settings))
        app.state.is_ending = lambda: server.should_exit  # uvicorn waits for open streams
        server.run()


def configuration(app: FastAPI, settings: Settings) -> uvicorn.Config:
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
