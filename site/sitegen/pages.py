"""The pages of the site as HTML text, by path."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grader.definitions.public import PublicTrack
from sitegen.data import data_folder
from sitegen.highlight import preformatted
from sitegen.links import INDEX, NOT_FOUND, asset_path, relative_link
from sitegen.views import TrackView, view_tracks

# `file:` because Firefox does not count a page on a disk as its own origin, so that 'self' alone
# leaves it without style. A page from a server cannot load from a disk whatever this says.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file:; "
    "base-uri 'none'; form-action 'none'"
)


def render_pages(tracks: Sequence[PublicTrack]) -> Iterator[tuple[str, str]]:
    """Each page's path from the root of the site, and its HTML.

    Raises:
        DefinitionError: A text cannot be shown; the error names track, exercise and field.
    """
    render = partial(_render, _environment())
    views = view_tracks(tracks)
    yield render(INDEX, "index.html", tracks=views)
    yield render(NOT_FOUND, "404.html")
    for track in views:
        yield render(track.path, "track.html", track=track)
        yield from _exercise_pages(render, track)


def _exercise_pages(
    render: Callable[..., tuple[str, str]], track: TrackView
) -> Iterator[tuple[str, str]]:
    around = (None, *track.exercises, None)
    for number, view in enumerate(track.exercises, start=1):
        yield render(
            view.path,
            "exercise.html",
            track=track,
            view=view,
            number=number,
            previous=around[number - 1],
            following=around[number + 1],
        )


def _render(
    environment: Environment, path: str, template: str, **context: object
) -> tuple[str, str]:
    html = environment.get_template(template).render(
        path=path, link=partial(relative_link, page=path), **context
    )
    return path, html


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(data_folder("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"count": _count, "pre": _pre}
    environment.globals |= {"asset": asset_path, "policy": CONTENT_SECURITY_POLICY, "home": INDEX}
    return environment


def _count(number: int, noun: str) -> str:
    """`1 exercise`, `2 exercises`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _pre(text: str) -> Markup:
    return preformatted(text)
