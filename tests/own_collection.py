"""The exercises and courses that come with Etude, read once per test process."""

from typing import Final

from grader.definitions.collection import Collection
from grader.definitions.files import default_folder

COLLECTION: Final = Collection.load(default_folder())

COURSES: Final = {
    path.parent.name: Collection.load(path.parent)
    for path in sorted(default_folder().parent.glob("courses/*/course.yaml"))
}
"""The courses outside of the collection, by folder name."""
