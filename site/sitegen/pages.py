"""The pages of the site as HTML text, by path."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grader.definitions.public import PublicTrack
from sitegen.data import data_folder
from sitegen.highlight import preformatted
from sitegen.lessons import NO_LESSONS, Lessons
from sitegen.links import INDEX, NOT_FOUND, asset_path, relative_link, rooted_link
from sitegen.views import ExerciseView, LessonView, view_tracks

_View = TypeVar("_View", bound=LessonView | ExerciseView)

# `file:` because Firefox does not count a page on a disk as its own origin, so that 'self' alone
# leaves it without style. A page from a server cannot load from a disk whatever this says.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file:; "
    "base-uri 'none'; form-action 'none'"
)


def render_pages(
    tracks: Sequence[PublicTrack], lessons: Lessons = NO_LESSONS, *, base_url: str = "/"
) -> Iterator[tuple[str, str]]:
    """Each page's path from the root of the site, and its HTML.

    Args:
        tracks: In the order in which the index shows them.
        lessons: Those of each track that were run, in order, by the track's id.
        base_url: Where a host has the site, for the one page that is shown at any address.

    Raises:
        DefinitionError: A text cannot be shown; the error names track, exercise and field.
    """
    render = partial(_render, _environment())
    views = view_tracks(tracks, lessons)
    yield render(INDEX, "index.html", tracks=views)
    yield render(NOT_FOUND, "404.html", link=partial(rooted_link, base_url=base_url))
    for track in views:
        yield render(track.path, "track.html", track=track)
        for lesson, around in _with_neighbours(track.lessons):
            yield render(lesson.path, "lesson.html", track=track, lesson=lesson, **around)
        for view, beside in _with_neighbours(track.exercises):
            part_of = track.lesson_of.get(view.exercise.id)
            yield render(
                view.path, "exercise.html", track=track, view=view, lesson=part_of, **beside
            )


def _with_neighbours(views: Sequence[_View]) -> Iterator[tuple[_View, dict[str, _View | None]]]:
    around = [None, *views, None]
    for index, view in enumerate(views):
        yield view, {"previous": around[index], "following": around[index + 2]}


def _render(
    environment: Environment, path: str, template: str, **context: object
) -> tuple[str, str]:
    context = {"path": path, "link": partial(relative_link, page=path)} | context
    return path, environment.get_template(template).render(context)


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
