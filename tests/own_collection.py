"""The exercises and courses that come with Etude, read once by each process of tests."""

from typing import Final

from grader.definitions.collection import Collection
from grader.definitions.files import default_folder

COLLECTION: Final = Collection.load(default_folder())

COURSES: Final = {
    path.parent.name: Collection.load(path.parent)
    for path in sorted(default_folder().parent.glob("courses/*/course.yaml"))
}
"""The courses outside it, by the names of their folders."""
