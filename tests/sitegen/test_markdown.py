"""Markdown, maths and code as HTML."""

import re
from base64 import b64encode
from pathlib import Path

import pytest

import sitegen
from grader.errors import DefinitionError
from sitegen.highlight import highlight
from sitegen.markdown import render_markdown, unshowable
from sitegen.maths import TexError, mathml
from sitegen.page_images import InlineImages, PageImages

PNG = b"\x89PNG\r\n\x1a\n and so on"
WHERE = Path("attention/weights/instructions")
STYLESHEET = Path(sitegen.__file__).parents[1] / "assets" / "site.css"

FORMULAS = [
    r"\operatorname{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
    r"M_{ij} = \begin{cases} 0 & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}",
    r"\begin{aligned} m_i &= \max_j s_{ij} \\ \ell_i &= \sum_j e^{s_{ij} - m_i} \end{aligned}",
    r"\begin{pmatrix} \cos\theta & -\sin\theta \\ \sin\theta & \cos\theta \end{pmatrix}",
    r"\left[\begin{array}{c|cr} 1 & 2 & 3 \\ \hline 4 & 5 & 6 \end{array}\right]",
    r"\begin{rcases} a \\ b \end{rcases} \quad \underset{c}{\operatorname{arg\,max}}\, z_c",
    r"\mathcal{L} = -\frac{1}{T} \sum_{t=1}^{T} \log p_\theta(x_t \mid x_{<t})",
    r"\underbrace{QK^\top}_{T \times T} \quad \lVert x \rVert_2 \quad \mathbf{1}[i = j]",
]


@pytest.mark.parametrize("tex", FORMULAS)
def test_a_formula_needs_no_style_attribute(tex: str) -> None:
    """What would be a style attribute is a class, and the stylesheet knows it."""
    html = mathml(tex, display=True)
    classes = {name for each in re.findall(r'class="([^"]*)"', html) for name in each.split()}
    styled = set(re.findall(r"\.(m-[\w-]+)", STYLESHEET.read_text()))

    assert html.startswith('<math display="block">')
    assert " style=" not in html
    assert classes <= styled


def test_styles_of_a_formula_become_classes() -> None:
    """Alignment and gap of the second column of cases; text that looks like a style stays text."""
    cases = mathml(r"\begin{cases} 0 & x \end{cases}", display=True)
    text = mathml(r'\text{ style="color: red" <b>}', display=False)

    assert '<mtd class="m-left m-flush-right">' in cases
    assert '<mtd class="m-left m-flush-right m-gap-left">' in cases
    assert "color" in text
    assert "&lt;b&gt;" in text
    assert "class=" not in text


@pytest.mark.parametrize(
    ("tex", "reason"),
    [
        (r"\foo", "Unknown command"),
        (r"\frac{1", "Expected closing token"),
        (r"\color{red} x", "color: #FF0000"),
        (r"\begin{align} a &= b \end{align}", "cannot have the style"),
        (r"\eqref{x}", "cannot have links"),
        (r"\cancel{x}", "cannot have boxes and strokes"),
    ],
)
def test_tex_that_cannot_be_shown_is_an_error(tex: str, reason: str) -> None:
    """Rather than a page on which something is missing."""
    with pytest.raises(TexError, match=reason):
        mathml(tex, display=False)


@pytest.mark.parametrize(
    ("source", "formulas", "display"),
    [
        ("$$x$$", 1, True),
        ("a\n\n$$\nx\n$$\n\nb", 1, True),
        ("so $$x$$ here", 1, True),
        ("so $x$", 1, False),
        ("It costs 5 $ or 6 $ a day.", 0, False),
        ("From $5 to $6.", 0, False),
        (r"Cost: \$5, \$6.", 0, False),
        ("`$x$`", 0, False),
    ],
)
def test_dollars_make_formulas(source: str, formulas: int, display: bool) -> None:
    """Two set a formula apart, in a paragraph as well; one keeps it in the line.

    A dollar beside a digit, an escaped dollar and code stay as they are.
    """
    html = render_markdown(source, where=WHERE)

    assert html.count("<math") == formulas
    assert ('display="block"' in html) is display
    assert "<p><div" not in html


def test_headings_begin_at_the_given_level() -> None:
    """Levels 1 and 2 become the highest level, and deeper ones follow."""
    source = "# a\n\n## b\n\n### c\n\n###### f"

    assert re.findall(r"<(h\d)>", render_markdown(source, where=WHERE)) == ["h2", "h2", "h3", "h6"]
    assert re.findall(r"<(h\d)>", render_markdown(source, where=WHERE, top=3)) == [
        *("h3", "h3", "h4", "h6")
    ]


def test_a_table_is_aligned_by_classes_and_scrolls_by_itself() -> None:
    """No style attributes; the box around it takes the focus, so that keys can scroll it."""
    html = render_markdown("| a | b |\n|--:|:-:|\n| 1 | 2 |", where=WHERE)

    assert '<div class="scroll" tabindex="0"><table' in html
    assert '<th class="align-right">a</th>' in html
    assert '<td class="align-center">2</td>' in html
    assert "style" not in html


def test_an_image_lies_beside_the_page_or_stands_in_it(tmp_path: Path) -> None:
    """Named by its contents, with its text alternative.

    In a text that comes after the page was built it is there as its bytes.
    """
    (tmp_path / "rows.png").write_bytes(PNG)
    images = PageImages(tmp_path / "01-x.yaml")

    html = render_markdown('Two ![rows & "columns"](rows.png).', where=WHERE, images=images)

    ((path, content),) = images.files_for("track/x/index.html").items()
    name = path.removeprefix("track/x/")
    assert (content, name[:6], name[-4:]) == (PNG, "image-", ".png")
    assert f'<img src="{name}" alt="rows &amp; &quot;columns&quot;">' in html
    inline = InlineImages(tmp_path / "01-x.yaml")
    html = render_markdown("![two rows](rows.png)", where=WHERE, images=inline)
    assert f'src="data:image/png;base64,{b64encode(PNG).decode()}"' in html


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("One.\n\nSee ![chart](https://example.org/x.png)", "3:5: 'https://example.org/x.png' is"),
        ("> ![a](a.png) and\n> ![](b.png)", "2:3: an image needs a text alternative"),
        ("See ![chart][c].\n\n[c]: x.png", "1:5: write the image and its path together"),
        (
            "- ![a](x.png)\n- ![a](y.png)",
            "2:3: there is no file 'y.png'; its path begins at this file's folder",
        ),
    ],
)
def test_an_image_that_cannot_be_shown_is_an_error(
    tmp_path: Path, source: str, message: str
) -> None:
    """With the line and column of the text, when the page is made and by lint."""
    for name in "abx":
        (tmp_path / f"{name}.png").write_bytes(PNG)
    path = tmp_path / "01-x.yaml"
    with pytest.raises(DefinitionError, match=f":{re.escape(message)}") as caught:
        render_markdown(source, where=path, images=PageImages(path))
    assert unshowable(source, path, with_images=True) == list(caught.value.problems)


def test_a_text_that_several_pages_show_has_no_image() -> None:
    """Its path would be wrong on one of them."""
    (problem,) = unshowable("![a](a.png)", WHERE, with_images=False)

    assert problem.message.startswith("an image cannot stand here")


@pytest.mark.parametrize("info", ["no-such-language", "", '"><script>', "text python"])
def test_code_in_an_unknown_language_is_plain(info: str) -> None:
    """The code is shown as it is, without the text behind the fence."""
    html = render_markdown(f"```{info}\na <b> c\n```", where=WHERE)

    assert html == '<pre class="code"><code>a &lt;b&gt; c</code></pre>\n'


@pytest.mark.parametrize("code", ["def f():\n    return 1", "  x = 1\n\n\n  y = 2", "", "'"])
def test_highlighting_changes_no_character(code: str) -> None:
    """Without its tags the code is what it was, with its indentation."""
    text = re.sub("<[^>]*>", "", highlight(code)).replace("&#39;", "'")

    assert text == code


def test_code_has_colours_and_takes_the_focus_if_it_is_wide() -> None:
    """Keywords have a class and no style, and prompts are not operators.

    A box that cannot scroll would be one more stop on the way through the page.
    """
    html = render_markdown("```python\nimport numpy\n```", where=WHERE)

    assert '<span class="hl-kn">import</span>' in html
    assert "style" not in html
    assert '<span class="hl-gp">&gt;&gt;&gt; </span>' in highlight(">>> 1 + 1\n2")
    assert "tabindex" not in highlight("x = 1")
    assert 'tabindex="0"' in highlight("x = " + "1 + " * 20 + "1")


def test_a_text_is_set_as_in_print() -> None:
    """Quotes and minus signs are those of print, but in code, whose shapes stay on one line.

    No line begins with the comma after a formula.
    """
    html = render_markdown('"It\'s" -1.5 at x-1: `(5, -2)`.', where=WHERE)

    assert html == '<p>“It’s” −1.5 at x-1: <code class="kept">(5, -2)</code>.</p>\n'  # noqa: RUF001  a true minus sign
    html = render_markdown("If $x$, or $y$). Then $z$ is.", where=WHERE)
    assert html.count('<span class="kept">') == 2
    assert "</math>,</span> or" in html
    assert "</math>).</span> Then" in html
