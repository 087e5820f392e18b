"""The exercises that come with Etude, read once by each process of tests."""

from typing import Final

from grader.definitions.collection import Collection
from grader.definitions.files import default_folder

COLLECTION: Final = Collection.load(default_folder())
