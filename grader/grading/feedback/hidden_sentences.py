"""Sentences about several hidden tests that failed in the same way.

This module has no imports, since reports need it without the rest of the grader.
"""

NOT_PASSED = "A hidden test did not pass."
"""The sentence about a hidden test that discloses nothing."""


def sentence_for_several(sentence: str) -> str:
    """Rewrite the sentence about one hidden test as one about several."""
    if sentence == NOT_PASSED:
        return "These hidden tests did not pass."
    return sentence.replace("this hidden test", "each of these tests")
