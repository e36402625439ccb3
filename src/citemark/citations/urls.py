"""When two URLs mean the same page."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

_TRACKING = re.compile(
    r"utm_\w+|ga_\w+|mc_[ce]id|pk_\w+|mtm_\w+|hsa_\w+|vero_\w+|_ga|_gl|_hs\w+|[gdy]clid|wbraid|gbraid"
    r"|fbclid|msclkid|twclid|ttclid|igshid|igsh|srsltid|ref_src|ref_url|cmpid|spm|sc_cid|mkt_tok|oly_\w+",
    re.IGNORECASE,
)
_ODD = "surrogatepass"  # half a character, as broken text has it, must not stop the comparison
_DEFAULT_PORTS = {"http": 80, "https": 443}


@lru_cache(maxsize=4096)
def normalised_url(url: str) -> str:
    """A URL without what does not change the page: scheme, www, tracking, fragment, slash.

    >>> normalised_url("HTTPS://www.Example.org/a/?utm_source=x&b=2#part")
    'example.org/a?b=2'
    """
    text = url.strip()
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        host = (parts.hostname or "").removeprefix("www.").rstrip(".")
        port = parts.port
    except ValueError:  # not a URL that anyone could open; compare it as it stands
        return text
    if port and port != _DEFAULT_PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    path = quote(unquote(parts.path), safe="/:@!$&'()*+,;=~-._%", errors=_ODD).rstrip("/")
    kept = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _TRACKING.fullmatch(name)
    ]
    query = f"?{urlencode(sorted(kept), errors=_ODD)}" if kept else ""
    return f"{host}{path}{query}" or text


def domain_of(url: str) -> str:
    """The host of a URL, without ``www.``."""
    return re.split(r"[/?:]", normalised_url(url), maxsplit=1)[0]
