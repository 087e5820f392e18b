"""Markdown with maths, as a terminal shows it."""

import pytest

from grader.reports.plain_maths import plain


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("two\nlines", "two lines"),
        ("Your *columns* **add up**.", "Your columns add up."),
        ("`a * b * c` and `$x$`", "`a * b * c` and `$x$`"),
        (r"by $\sqrt{d_k}$", "by \u221ad_k"),
        (r"$\sqrt{n + 1}$", "\u221a(n + 1)"),
        (r"$\frac{1}{\sqrt{d_k}}$", "1 / \u221ad_k"),
        (r"$\frac{x + 1}{2n}$", "(x + 1) / (2n)"),
        (r"$Q K^\top$", "Q K\u1d40"),
        (r"$e^{-\infty} = 0$", "e^(-\u221e) = 0"),
        (r"$\operatorname{softmax}(x)$", "softmax(x)"),
        (r"$j \le i$", "j \u2264 i"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        (r"$\bar y - \bar{x}$ and $\varepsilon$", "\u0233 - x\u0304 and \u03b5"),
        (r"$n \bmod k$", "n mod k"),
        (r"$1 + \cos \frac{\pi (t - W)}{T}$", "1 + cos((\u03c0 (t - W)) / T)"),
        (r"$\cos x$, $\log\frac{1}{2}$", "cos x, log(1/2)"),
        (r"$\tfrac{1}{d} \textstyle\sum_i x_i$", "1/d \u2211_i x_i"),
        (r"$\begin{cases} [1] \\[1ex] [2] \\ [3] \end{cases}$", "{ [1]; [2]; [3] }"),
        (r"$\begin{matrix} f(a;b) & 1 \\ 2 \end{matrix}$", "[f(a;b) 1; 2]"),
    ],
)
def test_markdown_becomes_characters(markdown: str, shown: str) -> None:
    """Emphasis, line ends and maths turn into plain characters; code stays as it is."""
    assert plain(markdown) == shown
