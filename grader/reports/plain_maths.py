"""Markdown with a little maths, as a terminal shows it: nothing but characters."""
# ruff: noqa: RUF001  the letters of mathematics look like others

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

SYMBOLS: Final[Mapping[str, str]] = {
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
    "displaystyle": "", "limits": "", "bmod": "mod",
}  # fmt: skip
ACCENTS: Final[Mapping[str, str]] = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303"}
_MATHS = re.compile(r"\${1,2}([^$]+)\${1,2}")
_ROOT = re.compile(r"\\sqrt\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}")
_ONE_FACTOR = re.compile(r"\d+|\u221a?[^\W\d_](?:_\w+)?")  # a number or a letter
_WORDS = re.compile(r"\\(?:text|mathrm|operatorname|mathbf)\{([^{}]*)\}")
_POWER_OF_TRANSPOSE = re.compile(r"\^\{?(?=\\top)")
_ACCENT = re.compile(rf"\\({'|'.join(ACCENTS)})\s*\{{?(\w)\}}?")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_EMPHASIS = re.compile(r"(\*{1,2})(\S(?:[^*]*\S)?)\1")
_CODE = re.compile(r"(`[^`]*`)")


def plain(markdown: str) -> str:
    """Return a paragraph of Markdown as one line of plain text; code keeps its back quotes."""
    pieces = _CODE.split(" ".join(markdown.split()))
    pieces[::2] = [_EMPHASIS.sub(r"\2", _MATHS.sub(_formula, piece)) for piece in pieces[::2]]
    return "".join(pieces)


def _formula(found: re.Match[str]) -> str:
    formula = found[1]
    for _ in range(3):  # one in another
        formula = _ROOT.sub(_root, formula)
        formula = _FRACTION.sub(_fraction, formula)
        formula = _WORDS.sub(r"\1", formula)
    formula = _ACCENT.sub(
        lambda found: unicodedata.normalize("NFC", found[2] + ACCENTS[found[1]]), formula
    )
    formula = _POWER_OF_TRANSPOSE.sub("", formula)
    formula = _COMMAND.sub(lambda found: SYMBOLS.get(found[1], found[1]), formula)
    return re.sub(r"[{}]", "", formula).strip()


def _fraction(found: re.Match[str]) -> str:
    above, below = (part if _ONE_FACTOR.fullmatch(part) else f"({part})" for part in found.groups())
    return f"{above} / {below}"


def _root(found: re.Match[str]) -> str:
    inside = found[1]
    return f"\u221a{inside}" if re.fullmatch(r"\w+", inside) else f"\u221a({inside})"
