"""The token: who has it may use the server, and a browser shows it only once."""

from __future__ import annotations

from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Scope

from citemark.web.problems import ApiError
from citemark.web.setup import Setup

_OPEN = ("/healthz",)
_OPEN_BELOW = ("/static/",)
"""What the page is made of, which is no secret: it is in the package."""
_BEARER = {"WWW-Authenticate": 'Bearer realm="citemark"'}


class Access:
    """Who may use the server: everyone on loopback without a token, else who shows it."""

    def __init__(self, setup: Setup) -> None:
        self._token = setup.token
        self._session = setup.session
        # Cookies do not tell ports apart: two servers on one machine must not share one.
        self._cookie = f"citemark-{setup.port}"

    def answer(self, scope: Scope, headers: Headers) -> Response | None:
        """What is answered in place of the application; None lets the request through.

        ``/?token=...`` is exchanged for a cookie that scripts cannot read and other sites
        cannot use, and the token leaves the address bar.
        """
        path = scope["path"]
        if self._token is None or path in _OPEN or path.startswith(_OPEN_BELOW):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        shown = [value for name, value in query if name == "token"]
        if scope["method"] == "GET" and path == "/" and shown:
            if not self._is_token(shown[0]):
                return self._locked(headers, "the token is not the right one")
            rest = [(name, value) for name, value in query if name != "token"]
            answer = RedirectResponse(f"/?{urlencode(rest)}" if rest else "/", status_code=303)
            answer.set_cookie(self._cookie, self._session, httponly=True, samesite="strict")
            return answer
        if self._has_bearer(headers) or self._has_cookie(headers):
            return None
        return self._locked(headers, "this server needs its token")

    def _is_token(self, given: str) -> bool:
        return compare_digest(given.encode("utf-8", "replace"), (self._token or "").encode())

    def _has_bearer(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self._is_token(given.strip())

    def _has_cookie(self, headers: Headers) -> bool:
        try:
            held = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return held is not None and compare_digest(held.value.encode(), self._session.encode())

    def _locked(self, headers: Headers, what: str) -> Response:
        if headers.get("sec-fetch-mode") == "navigate":
            page = files("citemark.web") / "page" / "locked.html"
            return HTMLResponse(page.read_text(encoding="utf-8"), 401, headers=_BEARER)
        then = "send Authorization: Bearer TOKEN, or open /?token=TOKEN in a browser"
        problem = ApiError(401, what, where="header Authorization", then=then, headers=_BEARER)
        return problem.response()
