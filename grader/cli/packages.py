"""`etude packages`: lock and install the packages of a course."""

from collections.abc import Iterator
from pathlib import Path

import click

from grader.cli import options
from grader.course import course_requirements
from grader.definitions.course import Course
from grader.definitions.course_file import load_course
from grader.definitions.files import COURSE_FILE, REQUIREMENTS_FILE, exists
from grader.definitions.wording import plural


@click.group("packages")
def command() -> None:
    """Lock or install the packages that a course names in `course.yaml`."""


@command.command("lock")
@options.exercises_option
def lock(exercises: tuple[Path, ...]) -> None:
    """Write `requirements.txt` beside `course.yaml`: the packages of the course, with hashes.

    The packages have the versions that are installed here; uv adds what they require, and finds
    the hashes. What Etude requires itself is left out. Keep the file with the course: `etude
    packages install` reads it, and so do the autograders.

    \b
    Example:
      etude packages lock --exercises my-course
    """
    for course in _courses(exercises):
        text, python = course_requirements.lock_packages(course)
        path = course.where.path.with_name(REQUIREMENTS_FILE)
        options.write_file(path, text)
        packages = sum("==" in line for line in text.splitlines())
        click.echo(f"{path}: {plural(packages, 'package')}, for Python {python} and newer")


@command.command("install")
@options.exercises_option
def install(exercises: tuple[Path, ...]) -> None:
    """Install the packages of a course beside Etude, from `requirements.txt` beside `course.yaml`.

    \b
    Example:
      etude packages install --exercises my-course
    """
    for course in _courses(exercises):
        if course_requirements.install_packages(course):
            click.echo(f"packages of {course.where.path}: installed")


def _courses(exercises: tuple[Path, ...]) -> Iterator[Course]:
    """Yield the courses of a collection that name packages."""
    for folder in options.collection_folders(exercises):
        if exists(folder / COURSE_FILE):
            course = load_course(folder / COURSE_FILE)
            if course.packages or course.problem_by_package:
                yield course
