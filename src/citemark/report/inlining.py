"""Style sheets and ES modules of the page, put together into one sheet and one script.

The modules stand as they are in the web app. A page that opens from disk cannot import files,
so here they are joined, each after those it imports; names are unique across them.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

_STYLES = (
    "tokens",
    "base",
    "answer",
    "case",
    "charts",
    "summary",
    "report",
    "print",
)
_IMPORT = re.compile(r'^import\s+\{[^}]*\}\s+from\s+"\./([\w-]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)
_HEADER = re.compile(r"\A/\*.*?\*/\s*", re.DOTALL)


def asset(name: str) -> str:
    """One file of the page as text."""
    return (files("citemark.report") / "assets" / name).read_text("utf-8")


@cache
def joined_styles() -> str:
    """All style sheets in order."""
    return "\n".join(_HEADER.sub("", asset(f"styles/{name}.css")) for name in _STYLES)


@cache
def joined_script(entry: str = "report") -> str:
    """A module and all it imports, in one script without imports."""
    parts: dict[str, str] = {}
    _collect(entry, parts)
    return "\n".join(parts.values())


def _collect(name: str, parts: dict[str, str], above: tuple[str, ...] = ()) -> None:
    if name in parts:
        return
    if name in above:
        raise ValueError(f"modules import each other in a circle: {' > '.join((*above, name))}")
    text = asset(f"scripts/{name}.js")
    for needed in _IMPORT.findall(text):
        _collect(needed, parts, (*above, name))
    parts[name] = _EXPORT.sub("", _IMPORT.sub("", _HEADER.sub("", text)))


def csp_hash(text: str) -> str:
    """What a Content-Security-Policy calls an inline script or style by."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
