"""The pages of the site: those of the whole site, and those of single definitions."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from grader.definitions.public_exercise import PublicExercise, PublicTrack
from grader.definitions.wording import plural
from grader.lessons.blocks import Prose
from grader.sandbox.dataclass_format import DataclassFormat
from sitegen.assets import Assets
from sitegen.cached_values import load_or_make
from sitegen.cards import ExerciseCard, LessonCard, Outline, OutlineLesson, TrackCard, make_cards
from sitegen.concepts import find_concepts
from sitegen.content import Content, OwnGpt, TrackLesson
from sitegen.exercise_data import make_exercise_data
from sitegen.exercise_view import view_exercise
from sitegen.hosting import Hosting
from sitegen.lesson_notebooks import lesson_notebook
from sitegen.lessons import view_lesson
from sitegen.links import (
    ABOUT,
    ACCESSIBILITY,
    CONCEPTS,
    INDEX,
    NOT_FOUND,
    OFFLINE,
    OWN_GPT,
    PROGRESS,
    SEARCH,
    exercise_file,
    notebook_path,
)
from sitegen.markdown import render_markdown
from sitegen.own_gpt_page import MODEL, RECORD
from sitegen.page_images import PageImages
from sitegen.picture import draw_png, list_arcs
from sitegen.rendering import PageRenderer
from sitegen.search import SearchEntry
from sitegen.teaching import view_figure
from sitegen.teaching.model_map import find_lesson_places

BUNDLE: Final = "etude.zip"  # the grader's archive, for import in a page

# The pages about the whole site: the kind of each, and its template if that has another name.
_COLLECTION_PAGES: Final = {
    INDEX: ("home", "index"),
    CONCEPTS: ("concepts", ""),
    PROGRESS: ("progress", ""),
}
_STATIC_PAGES: Final = {
    ABOUT: ("about", ""),
    ACCESSIBILITY: ("accessibility", ""),
    OFFLINE: ("offline", ""),
    NOT_FOUND: ("404", ""),
}

_FILES: Final = "files.json"  # the data files of a lesson, beside its page

_Card = TypeVar("_Card", OutlineLesson, ExerciseCard)
_Neighbours: TypeAlias = tuple[_Card | None, _Card | None]  # the previous and the next card


@dataclass(frozen=True, slots=True)
class PageFiles:
    """The files of one or more pages by path, and their entry in the search index."""

    files: Mapping[str, bytes]
    entry: SearchEntry | None = None


_PAGE_FILES: Final = DataclassFormat(PageFiles, (SearchEntry,))


class Pages:
    """The pages of a site.

    Args:
        hosting: The addresses of the site and of Pyodide.

    Raises:
        DefinitionError: A track's description cannot be shown, or a lesson names an exercise that
            its track lacks.
    """

    def __init__(self, content: Content, hosting: Hosting) -> None:
        self.assets = Assets.load({BUNDLE: content.python})
        self._content = content
        self._render = PageRenderer(
            self.assets, hosting, for_practice=content.for_practice, title=content.title
        )
        self._cards = make_cards(content.tracks, content.lessons)
        self._concepts = find_concepts(self._cards)
        # What templates print about the site, apart from its tracks.
        python = hosting.python_bytes, hosting.versions
        self._site = content.title, content.for_practice, [*self.assets.files], hosting, python

    def list_builders(self) -> Iterator[tuple[str, Callable[[], PageFiles]]]:
        """Yield the path and the builder of all pages except the search page."""
        lessons = (
            lesson for track in self._cards for lesson in self._content.lessons.get(track.id, ())
        )
        figures = (figure for lesson in lessons for figure in lesson.figures)
        # The home page opens with the first explorer in the lessons.
        explorer = next((figure for figure in figures if figure.kind == "explorer"), None)
        overview: dict[str, object] = {
            "tracks": self._cards,
            "concepts": self._concepts,
            "warm_up": self._content.warm_up,
            "gpt": self._content.own_gpt is not None,
            "explorer": explorer and view_figure(explorer, "figure", {}) | {"is_small": True},
        }
        for pages, context in ((_COLLECTION_PAGES, overview), (_STATIC_PAGES, {})):
            for path, (page, template) in pages.items():
                make = self._home if path == INDEX else self._plain
                yield path, partial(make, path, page, template, context)
        if self._content.own_gpt:
            yield OWN_GPT, partial(self._own_gpt, self._content.own_gpt)
        for track, card in zip(self._content.tracks, self._cards, strict=True):
            fingerprints = self._content.fingerprints.get(card.id)
            facts = repr((fingerprints, card, self._leads_to_gpt(card.id), self._site))
            digest = hashlib.sha256(facts.encode()).hexdigest()
            for path, build in self._list_track_builders(track, card):
                key = f"page {path} {digest}"
                yield path, partial(load_or_make, self._content.cache, key, _PAGE_FILES, build)

    def _list_track_builders(
        self, track: PublicTrack, card: TrackCard
    ) -> Iterator[tuple[str, Callable[[], PageFiles]]]:
        """Yield the path and the builder of each page of a track."""
        yield card.path, partial(self._track, card)
        outlines = card.outlines
        track_lessons = self._content.lessons.get(track.id, ())
        outline_lessons = _with_neighbours(outlines[""].lessons)
        for lesson, outline_lesson, (_, neighbours) in zip(
            track_lessons, card.lessons, outline_lessons, strict=True
        ):
            outline = outlines[outline_lesson.path]
            yield (
                outline_lesson.path,
                partial(self._lesson, outline, outline_lesson, lesson, card.by_id, neighbours),
            )
        cards = _with_neighbours(card.exercises)
        for exercise, (own_card, (previous, following)) in zip(track.exercises, cards, strict=True):
            before = card.lesson_of.get(own_card.id)
            outline = outlines[before.path if before else ""]
            # The last exercise of a lesson leads to the next lesson, not to its first exercise.
            after = card.lesson_of.get(following.id) if following else None
            next_lesson = None if after is before else after
            yield (
                own_card.path,
                partial(
                    self._exercise, outline, own_card, exercise, (previous, following), next_lesson
                ),
            )

    def render_search(self, index: str) -> str:
        """Return the search page.

        Args:
            index: The path of the search index.
        """
        return self._render(SEARCH, "search", index=index)

    def render_empty(self, path: str) -> bytes:
        """Return a page for content that is invalid or not yet built."""
        return self._render(path, "empty", title=path.split("/")[-2]).encode()

    def _plain(
        self, path: str, page: str, template: str, context: Mapping[str, object]
    ) -> PageFiles:
        return PageFiles({path: self._render(path, page, template=template, **context).encode()})

    def _home(
        self, path: str, page: str, template: str, context: Mapping[str, object]
    ) -> PageFiles:
        wrong = self._content.wrong_answer and self._content.wrong_answer()
        exercises = [exercise for track in self._cards for exercise in track.exercises]
        fields = wrong and {
            "card": next(exercise for exercise in exercises if exercise.id == wrong.exercise),
            "code": wrong.code,
            **{
                name: render_markdown(text, where=Path(wrong.exercise) / name, top=3)
                for name, text in (("message", wrong.message), ("diagnosis", wrong.diagnosis))
            },
        }
        return self._plain(path, page, template, {**context, "wrong": fields, "record": RECORD})

    def _own_gpt(self, own: OwnGpt) -> PageFiles:
        cards = {
            str(name): card for track_card in self._cards for name, card in track_card.by_id.items()
        }
        gpt, switches = own.definition, own.definition.page.switches

        def tiles(names: Iterable[str]) -> list[dict[str, object]]:
            return [
                {
                    "card": cards[name],
                    "function": gpt.functions[name],
                    "note": switches[name].note if name in switches else "",
                    "mistakes": {
                        mistake: render_markdown(
                            text, where=Path(name) / "feedback" / mistake, top=3
                        )
                        for mistake, text in own.mistakes.get(name, {}).items()
                    },
                }
                for name in names
                if name in cards
            ]

        track = next(card for card in self._cards if card.id == gpt.track)
        html = self._render(
            OWN_GPT,
            "gpt",
            track=track,
            parts=tiles(gpt.page.parts),
            switches=tiles(switches),
            settings=gpt.page.settings,
        )
        record = own.record()
        texts = {OWN_GPT: html} | {
            OWN_GPT.replace(INDEX, name): text
            for name, text in ((MODEL, own.model), (RECORD, record))
        }
        files = {path: text.encode() for path, text in texts.items()}
        files[OWN_GPT.replace(INDEX, "picture.png")] = draw_png(list_arcs(record))
        return PageFiles(files, SearchEntry.from_page("Your own GPT", OWN_GPT, track.title))

    def _leads_to_gpt(self, track: str) -> bool:
        own = self._content.own_gpt
        return own is not None and own.definition.track == track

    def list_concepts(self) -> Iterator[SearchEntry]:
        """Yield the concepts as entries of the search index."""
        for concept in self._concepts:
            note = f"Concept · {plural(concept.exercises, 'exercise')}"
            yield SearchEntry.from_page(
                concept.name, f"{CONCEPTS}#{concept.anchor}", note, (concept.name,)
            )

    def _track(self, card: TrackCard) -> PageFiles:
        leads = self._leads_to_gpt(card.id)
        html = self._render(card.path, "track", track=card, gpt=leads, names={"track": card.id})
        return PageFiles(
            {card.path: html.encode()}, SearchEntry.from_page(card.title, card.path, "Track")
        )

    def _lesson(
        self,
        outline: Outline,
        card: LessonCard,
        lesson: TrackLesson,
        cards: Mapping[str, ExerciseCard],
        neighbours: _Neighbours[OutlineLesson],
    ) -> PageFiles:
        images = PageImages(lesson.path)
        notebook = notebook_path(card.path)
        titles = {card.id: card.title for card in cards.values()}
        places = find_lesson_places(self._content.lessons[outline.id], outline.lessons)
        html = self._render(
            card.path,
            "lesson",
            track=outline,
            lesson=card,
            view=view_lesson(lesson, cards, images, places),
            notebook=notebook,
            gpt=self._leads_to_gpt(outline.id),
            names={
                "track": outline.id,
                "lesson": card.id,
                **_list_packages(lesson.packages),
                **({"files": _FILES} if lesson.data else {}),
            },
            previous=neighbours[0],
            following=neighbours[1],
        )
        concepts = dict.fromkeys(name for exercise in card.exercises for name in exercise.concepts)
        text = "\n\n".join(str(block.text) for block in lesson.blocks if isinstance(block, Prose))
        note = f"Lesson {card.number} · {outline.title}"
        entry = SearchEntry.from_page(card.title, card.path, note, concepts, text)
        texts = {card.path: html, notebook: lesson_notebook(lesson, titles)}
        if lesson.data:
            coded = {name: b64encode(data).decode() for name, data in lesson.data.items()}
            texts[card.path.removesuffix("index.html") + _FILES] = json.dumps(coded)
        files = {path: text.encode() for path, text in texts.items()}
        return PageFiles(files | images.files_for(card.path), entry)

    def _exercise(
        self,
        outline: Outline,
        card: ExerciseCard,
        exercise: PublicExercise,
        neighbours: _Neighbours[ExerciseCard],
        next_lesson: LessonCard | None,
    ) -> PageFiles:
        images = PageImages(exercise.file) if exercise.file else None
        make_notebook = self._content.notebooks.get(exercise.id)
        notebook = make_notebook() if make_notebook else ""
        contents = self._content.data.get(exercise.id, {})
        places = {name: exercise_file(outline.id, exercise.id, f"data/{name}") for name in contents}
        html = self._render(
            card.path,
            "exercise",
            track=outline,
            view=view_exercise(card, exercise, outline.id, images),
            notebook=notebook_path(card.path) if notebook else None,
            data=places,
            gpt=self._leads_to_gpt(outline.id),
            names={"track": outline.id, "exercise": card.id, **_list_packages(exercise.packages)},
            previous=neighbours[0],
            following=next_lesson or neighbours[1],
            next_lesson=next_lesson,
        )
        runnable = self._content.runnable.get(exercise.id)
        data = make_exercise_data(outline.id, exercise, runnable, images) if runnable else ()
        note = f"Exercise {card.number} · {outline.title} · {card.difficulty}"
        subjects = (*card.concepts, *exercise.defines)
        entry = SearchEntry.from_page(card.title, card.path, note, subjects, exercise.instructions)
        files = {path: text.encode() for path, text in ((card.path, html), *data)}
        files |= images.files_for(card.path) if images else {}
        files |= {places[name]: content for name, content in contents.items()}
        files |= {notebook_path(card.path): notebook.encode()} if notebook else {}
        return PageFiles(files, entry)


def _list_packages(names: Sequence[str]) -> dict[str, str]:
    """Return the attribute that names the packages for a page's Python."""
    return {"packages": " ".join(names)} if names else {}


def render_pages(tracks: Sequence[PublicTrack]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of tracks and exercises, with their path from the site's root.

    Raises:
        DefinitionError: A text cannot be shown; the error names track, exercise and field.
    """
    for _, make in Pages(Content(tracks), Hosting()).list_builders():
        yield from make().files.items()


def _with_neighbours(cards: Sequence[_Card]) -> Iterator[tuple[_Card, _Neighbours[_Card]]]:
    for index, card in enumerate(cards):
        before = cards[index - 1] if index else None
        after = cards[index + 1] if index + 1 < len(cards) else None
        yield card, (before, after)
