"""Fixtures for the tests of deploy/ and its documentation."""

from collections.abc import Callable

import click
import pytest

from grader.cli.main import etude


@pytest.fixture
def parse() -> Callable[[list[str]], None]:
    """Parse the arguments of `etude`; raise for an unknown option or value."""

    def parse(words: list[str]) -> None:
        group: click.Command = etude
        context = click.Context(group)
        while isinstance(group, click.Group):
            name, *words = words
            found = group.get_command(context, name)
            assert found is not None, name
            group = found
        group.make_context(group.name, words).close()

    return parse
