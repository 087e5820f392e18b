"""`etude import` as its users run it: exit statuses, what it writes, what it leaves alone."""

import json
from pathlib import Path

import pytest

from grader.definitions.collection import load_exercise_file, load_track
from tests.conftest import Etude


def test_a_sound_exercise_is_imported_and_proven(etude_import: Etude, sound: Path) -> None:
    """Exit status 0, and a definition with every field where it belongs."""
    finished = etude_import(sound, "--into", "out")
    assert finished.returncode == 0, finished.stderr
    assert "Proven: nothing stands in the way." in finished.stdout
    exercise = load_exercise_file(sound.parent / "here" / "out" / "halve.yaml")
    assert (exercise.title, exercise.xp, exercise.difficulty) == ("Halve it", 5, "beginner")
    assert [hint.text for hint in exercise.hints] == ["Divide.", "By 2."]
    assert [(test.id, test.hidden) for test in exercise.tests] == [
        ("four", False),
        ("others", True),
    ]
    assert exercise.explanation == "A half is one of two parts.\n"


@pytest.mark.slow
def test_a_list_for_a_printed_array_is_repaired(etude_import: Etude, sound: Path) -> None:
    """Brackets and commas are written as they are printed; another number is an error."""
    text = sound.read_text().replace(
        "print(halve(4.0))', expectedOutput: '2.0'",
        "print(np.array([halve(4.0), 1]))', expectedOutput: '[2.0, 1.0]'",
    )
    sound.write_text(text.replace("'1.5 -5.0'", "'1.5 -6.0'"))
    finished = etude_import(sound, "--into", "out")
    assert (
        "the expected output is written as it is printed: [2.0, 1.0] -> [2. 1.]" in finished.stdout
    )
    assert "the expected output of test 'others' is wrong" in finished.stdout
    assert "In 0 the solution passes every test." in finished.stdout
    exercise = load_exercise_file(sound.parent / "here" / "out" / "halve.yaml")
    assert [test.stdout for test in exercise.tests] == ["[2. 1.]\n", "1.5 -6.0"]


@pytest.mark.slow
def test_a_solution_that_changes_its_arguments_is_allowed_to(
    etude_import: Etude, tmp_path: Path
) -> None:
    """The source does not look; the report says so, and only of tests in which it happens."""
    cells = [
        ("def last(x):\n    return x.pop()  # SOLUTION", {"solution": True, "grade_id": "last"}),
        ("assert last([1, 2]) == 2", {"grade": True, "grade_id": "one"}),
        ("assert last(tuple) == 2 if False else True\nlast", {"grade": True, "grade_id": "two"}),
    ]
    book = [
        {"cell_type": "code", "source": source, "metadata": {"nbgrader": data}}
        for source, data in cells
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": book}))
    finished = etude_import(tmp_path / "a.ipynb", "--into", "out")
    assert "the solution changes an argument in test 'one', which allows it" in finished.stdout
    assert "In 1 the solution passes every test." in finished.stdout
    one, two = load_exercise_file(tmp_path / "here" / "out" / "last.yaml").tests
    assert (one.keep_inputs, two.keep_inputs) == (False, True)


def test_nothing_to_import_is_a_usage_error(etude_import: Etude, tmp_path: Path) -> None:
    """Exit status 2 for a source without exercises, and for one that is not there."""
    (tmp_path / "prose.txt").write_text("Nothing but words, and { a: brace }.")
    finished = etude_import(tmp_path / "prose.txt", "--into", "out")
    assert finished.returncode == 2
    assert "nothing to import" in finished.stderr
    assert etude_import(tmp_path / "missing.txt", "--into", "out").returncode == 2
    assert not (tmp_path / "here" / "out").exists()


@pytest.mark.slow
def test_a_file_that_is_there_is_overwritten_only_by_force(
    etude_import: Etude, sound: Path
) -> None:
    """Without `--force` nothing is touched; a numbered file of the same id counts as there."""
    out = sound.parent / "here" / "out"
    out.mkdir()
    (out / "07-halve.yaml").write_text("mine")
    refused = etude_import(sound, "--into", "out")
    assert refused.returncode == 2
    assert "07-halve.yaml is there already; --force writes over it" in refused.stderr
    assert [path.name for path in out.iterdir()] == ["07-halve.yaml"]
    (out / "07-halve.yaml").rename(out / "halve.yaml")
    assert etude_import(sound, "--into", "out", "--force").returncode == 0
    assert load_exercise_file(out / "halve.yaml").id == "halve"


@pytest.mark.slow
def test_a_track_has_its_file_and_numbers(etude_import: Etude, sound: Path) -> None:
    """`--track` makes a folder that loads as a track."""
    assert etude_import(sound, "--into", "out", "--track", "first-steps").returncode == 0
    folder = sound.parent / "here" / "out" / "first-steps"
    assert [exercise.id for exercise in load_track(folder / "track.yaml").exercises] == ["halve"]
    assert (folder / "01-halve.yaml").exists()
    assert etude_import(sound, "--into", "out", "--track", "../up").returncode == 2


@pytest.mark.slow
def test_a_link_in_place_of_the_file_is_replaced_not_followed(
    etude_import: Etude, sound: Path
) -> None:
    """What a symbolic link points at stays as it is, even with `--force`."""
    out = sound.parent / "here" / "out"
    out.mkdir()
    (sound.parent / "precious").write_text("keep me")
    (out / "halve.yaml").symlink_to(sound.parent / "precious")
    assert etude_import(sound, "--into", "out").returncode == 2
    assert etude_import(sound, "--into", "out", "--force").returncode == 0
    assert (sound.parent / "precious").read_text() == "keep me"
    assert not (out / "halve.yaml").is_symlink()


def test_nothing_of_a_source_runs_outside_the_sandbox(etude_import: Etude, tmp_path: Path) -> None:
    """Starter, solution and tests that write a file leave none behind."""
    trace = tmp_path / "trace"
    touch = f"open({str(trace)!r}, 'w').close()"
    folder = tmp_path / "nasty"
    folder.mkdir()
    (folder / "starter.py").write_text(f"{touch}\ndef f(x):\n    ...\n")
    (folder / "solution.py").write_text(f"{touch}\ndef f(x):\n    {touch}\n    return x\n")
    (folder / "tests.json").write_text(
        json.dumps([{"test": f"{touch}\nprint(f(1))", "expected_output": "1"}])
    )
    (folder / "description.md").write_text("Write `f`.")
    finished = etude_import(folder, "--into", "out")
    assert finished.returncode == 1
    assert "1 exercise imported" in finished.stdout
    assert not trace.exists()


def test_a_test_file_that_writes_when_it_runs_leaves_no_trace(
    etude_import: Etude, tmp_path: Path
) -> None:
    """Bodies of tests run in a process that has given up writing, network and programs."""
    trace = tmp_path / "trace"
    folder = tmp_path / "some-words"
    (folder / ".meta").mkdir(parents=True)
    (folder / ".docs").mkdir()
    (folder / ".meta" / "config.json").write_text("{}")
    (folder / ".meta" / "example.py").write_text("def words():\n    return ['a']\n")
    (folder / "some_words.py").write_text("def words():\n    pass\n")
    (folder / "some_words_test.py").write_text(
        "import pathlib\nimport unittest\nfrom some_words import words\n\n\n"
        "class WordsTest(unittest.TestCase):\n    def test_words(self):\n"
        f"        pathlib.Path({str(trace)!r}).write_text('ran')\n"
        "        self.assertEqual(words(), ['a'])\n"
    )
    finished = etude_import(folder, "--into", "out")
    assert "1 exercise imported" in finished.stdout
    assert not trace.exists()
