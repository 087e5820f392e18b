"""Sentences about several hidden tests that failed alike.

Few imports, since reports are made from a verdict alone.
"""

NOT_PASSED = "A hidden test did not pass."
"""The sentence about a hidden test that discloses nothing."""


def sentence_for_several(sentence: str) -> str:
    """Return the sentence about one hidden test as one about each of several."""
    if sentence == NOT_PASSED:
        return "These hidden tests did not pass."
    return sentence.replace("this hidden test", "each of these tests")
