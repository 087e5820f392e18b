"""The content security policy of a page, within it since many hosts set no headers."""

from sitegen.hosting import Hosting

# `file:` because Firefox does not count a page on a disk as its own origin, so that 'self' alone
# leaves it without style. A page from a server cannot load from a disk whatever this says.
_OWN = "'self' file:"


def content_security_policy(hosting: Hosting) -> str:
    """The policy of every page: no inline script, and no other origin but that of Pyodide.

    Styles may be inline since the editor makes its own. WebAssembly is what Python is.
    """
    python = f" {hosting.pyodide_origin}" if hosting.pyodide_origin else ""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_OWN} 'wasm-unsafe-eval'{python}",
            f"style-src {_OWN} 'unsafe-inline'",
            f"img-src {_OWN} data:",
            f"font-src {_OWN}",
            f"connect-src 'self'{python}",
            "worker-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
