"""A rule about texts that a page cannot show."""

from collections.abc import Iterator

from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import PageText
from grader.errors import Problem


@rule(
    "ETU208",
    "unshowable-text",
    "error",
    bad=r"""
    Divide by $\sqrt{d_k$.
    """,
    good=r"""
    Divide by $\sqrt{d_k}$.
    """,
)
def unshowable_text(text: PageText) -> Iterator[Problem]:
    """A page cannot show a formula or an image.

    The TeX is not valid or has what pages lack. Or the image has no text alternative, is not there,
    too large, outside the course, or no PNG or JPEG.
    """
    for problem in text.unshowable:
        yield text.prose.problem(problem.message, problem.where.line, problem.where.column)


PAGE_RULES = (unshowable_text,)
