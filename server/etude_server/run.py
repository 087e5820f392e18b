"""Runs the server: the service, and uvicorn in front of it, until it is told to stop."""

import resource
import signal
import sys

import uvicorn
from fastapi import FastAPI

from etude_server import logs
from etude_server.app import create_app
from etude_server.service import open_service
from etude_server.settings import Settings

_FILES = 65_536  # at most: each connection is one, and an event stream stays open
_DRAIN_SECONDS = 3  # for requests that are being answered; few take more than milliseconds


def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM; gradings that end within seconds are finished.

    Raises:
        UsageError, DefinitionError: The settings or the exercises are not valid.
    """
    logs.configure()
    with open_service(settings) as service:
        app = create_app(service)
        service.catalog.reload_on_hangup(service.database)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        sys.stdout.write(f"http://{settings.host}:{settings.port}/ (Ctrl-C ends)\n")
        sys.stdout.flush()
        # Uvicorn sends itself the signal again when it has ended; the service has yet to.
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
        log_config=None,  # as `logs` has it
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.public_url),
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )
