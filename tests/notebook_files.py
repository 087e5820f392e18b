"""Notebooks for tests."""

import json


def notebook(*cells: str | None, language: str = "python") -> str:
    """Return a notebook of code cells with outputs; None stands for a text cell."""
    return json.dumps(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": {"name": "k", "language": language}},
            "cells": [_cell(each) for each in cells],
        },
        indent=1,
    )


def _cell(source: str | None) -> dict[str, object]:
    if source is None:
        return {"cell_type": "markdown", "metadata": {}, "source": ["# Text\n", "more"]}
    output = {"output_type": "stream", "name": "stdout", "text": ["printed\n"]}
    return {
        "cell_type": "code",
        "metadata": {},
        "execution_count": 3,
        "outputs": [output],
        "source": source.splitlines(keepends=True),
    }
