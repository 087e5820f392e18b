r"""Formulas and inline Markdown as plain characters.

A formula becomes one line: `\frac{Q K^\top}{\sqrt{d_k}}` is `(Q Kᵀ) / √d_k`. Existing libraries
lose brackets: they turn `e^{x - c}` into `e^x - c`, which means something else.
"""
# ruff: noqa: RUF001  the letters of mathematics look like others

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

_SYMBOLS: Final[Mapping[str, str]] = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε",
    "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ",
    "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ",
    "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "nabla": "∇", "partial": "∂",
    "infty": "∞", "cdot": "·", "times": "×", "odot": "⊙", "otimes": "⊗", "oplus": "⊕",
    "circ": "∘", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠",
    "approx": "≈", "sim": "~", "propto": "∝", "equiv": "≡", "in": "∈", "sum": "∑", "prod": "∏",
    "int": "∫", "top": "ᵀ", "mid": "|", "to": "→", "rightarrow": "→", "mapsto": "↦",
    "leftarrow": "←", "Rightarrow": "⇒", "Longrightarrow": "⟹", "iff": "⇔", "lVert": "‖",
    "rVert": "‖", "lvert": "|", "rvert": "|", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈",
    "rceil": "⌉", "langle": "⟨", "rangle": "⟩", "dots": "...", "ldots": "...", "cdots": "...",
    "vdots": "...", "prime": "′", "ell": "ℓ", "quad": "  ", "qquad": "    ", "forall": "∀",
    "left": "", "right": "", "bigl": "", "bigr": "", "Bigl": "", "Bigr": "", "big": "", "Big": "",
    "displaystyle": "", "textstyle": "", "limits": "", "bmod": "mod",
}  # fmt: skip
_ACCENTS: Final[Mapping[str, str]] = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303"}
_MATHS = re.compile(r"\${1,2}([^$]+)\${1,2}")
_EMPHASIS = re.compile(r"(\*{1,2})(\S(?:[^*]*\S)?)\1")
_CODE = re.compile(r"(`[^`]*`)")

_TOKEN: Final = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}^_&]|\s+|[^\\{}^_&\s]", re.DOTALL)
_ATOM: Final = re.compile(r"(?!\d+[^\W\d])[\w.∞∑√ᵀ′]+(\([^()]*\))?")
_WIDE: Final = "    "  # space between two formulas in a line
_SUPERSCRIPTS: Final = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_FRACTIONS: Final = frozenset({"frac", "tfrac", "dfrac"})
_FUNCTIONS: Final = frozenset({"sin", "cos", "tan", "tanh", "exp", "log", "ln"})
_NEW_ROW: Final = "\\\\"
# An optional length after the end of a row.
_ROW_GAP: Final = re.compile(r"(\\\\)\[-?[\d.]+[a-z]+\]")
_WORDS: Final = frozenset(
    {"text", "mathrm", "mathbf", "mathit", "mathcal", "mathbb", "operatorname", "operatorname*"}
)
_THIN: Final[Mapping[str, str]] = {",": " ", ";": " ", ":": " ", " ": " ", "!": "", "\\": "; "}
_BRACKETS: Final[Mapping[str, tuple[str, str]]] = {
    "pmatrix": ("[", "]"),
    "bmatrix": ("[", "]"),
    "matrix": ("[", "]"),
    "cases": ("{ ", " }"),
}


def plain(markdown: str) -> str:
    """Convert a paragraph of Markdown to one line of plain text; code keeps its backquotes."""
    pieces = _CODE.split(" ".join(markdown.split()))
    for index in range(0, len(pieces), 2):
        text = _MATHS.sub(lambda match: formula(match[1]), pieces[index])
        pieces[index] = _EMPHASIS.sub(r"\2", text)
    return "".join(pieces)


def formula(tex: str) -> str:
    """Convert a TeX formula to text; an unknown command keeps its name."""
    return _FormulaReader(tex).all().strip()


class _FormulaReader:
    """A converter of TeX, from left to right."""

    def __init__(self, tex: str) -> None:
        self._tokens = _TOKEN.findall(_ROW_GAP.sub(r"\1", tex))
        self._next = 0

    def all(self, *ends: str) -> str:
        """Return everything as text, up to a token that ends a group or a row."""
        pieces: list[str] = []
        while self._next < len(self._tokens):
            piece = self._take()
            if piece in ends:
                break
            pieces.append(self._plain(piece))
        text = re.sub(r" {5,}", _WIDE, "".join(pieces))
        return re.sub(r"(?<! ) {2,3}(?! )", " ", text)

    def _take(self) -> str:
        piece: str = self._tokens[self._next]
        self._next += 1
        return piece

    def _plain(self, piece: str) -> str:
        if piece.isspace() or piece == "&":
            return " "
        if piece == "{":
            return self.all("}")
        if piece in ("^", "_"):
            script = self._argument()
            if piece == "^" and re.fullmatch(r"[+-]?\d+", script):
                return script.translate(_SUPERSCRIPTS)
            if script not in ("ᵀ", "′"):
                script = piece + (script if re.fullmatch(r"\w*", script) else f"({script})")
            return script
        if not piece.startswith("\\"):
            return "′" if piece == "'" else piece
        return self._command(piece[1:])

    def _command(self, name: str) -> str:
        if name in _FRACTIONS:
            top, bottom = _whole(self._argument()), _whole(self._argument())
            return f"{top} / {bottom}" if len(top + bottom) > len("12") else f"{top}/{bottom}"
        if name == "sqrt":
            return f"√{_whole(self._argument())}"
        if name in _WORDS:
            return self._argument()
        if name in _ACCENTS:
            return unicodedata.normalize("NFC", self._argument() + _ACCENTS[name])
        if name == "begin":
            name = self._argument()
            rows = [self.all(_NEW_ROW, "\\end")]
            while self._next < len(self._tokens) and self._tokens[self._next - 1] == _NEW_ROW:
                rows.append(self.all(_NEW_ROW, "\\end"))
            self._argument()
            rows = [" ".join(row.split()) for row in rows]
            before, after = _BRACKETS.get(name, ("", ""))
            return f"{before}{'; '.join(row for row in rows if row)}{after}"
        if name in _FUNCTIONS and self._at_a_fraction():
            name += f"({self._argument()})"
        return _SYMBOLS.get(name, _THIN.get(name, name))

    def _at_a_fraction(self) -> bool:
        following = (token for token in self._tokens[self._next :] if not token.isspace())
        return next(following, "")[1:] in _FRACTIONS

    def _argument(self) -> str:
        """Return the next group or single token."""
        while self._next < len(self._tokens) and self._tokens[self._next].isspace():
            self._next += 1
        return self._plain(self._take()).strip() if self._next < len(self._tokens) else ""


def _whole(text: str) -> str:
    """Bracket text that would come apart beside an operator."""
    return text if _ATOM.fullmatch(text) else f"({text})"
