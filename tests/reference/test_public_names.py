import inspect
from types import ModuleType

import pytest

import reference
from reference import arrays, attention, masks, softmax


def test_the_package_exports_its_modules() -> None:
    """`reference` lists one module a concept, and each is really there."""
    assert reference.__all__ == ["attention", "masks", "softmax"]
    assert all(isinstance(getattr(reference, name), ModuleType) for name in reference.__all__)


@pytest.mark.parametrize("module", [arrays, attention, masks, softmax])
def test_every_public_function_documents_its_contract(module: ModuleType) -> None:
    """Each docstring says what goes in, what comes out and what can go wrong."""
    functions = [
        member
        for name, member in inspect.getmembers(module, inspect.isfunction)
        if member.__module__ == module.__name__ and not name.startswith("_")
    ]

    assert functions
    for function in functions:
        text = inspect.getdoc(function) or ""
        assert all(part in text for part in ("Args:", "Returns:", "Raises:")), function
