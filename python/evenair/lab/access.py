"""Who may use the lab: only pages of its own origin, and of its requests only those with its token.

A page of another site that a browser shows can send requests to loopback addresses. It cannot read
the token. If its name was made to lead here (DNS rebinding), the Host is that name.
"""

from __future__ import annotations

import hmac
import ipaddress
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

API = "/api/"
"""Where requests need the token."""

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:;"
    " connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:;"
    " base-uri 'none'; form-action 'none'"
)
"""The Content-Security-Policy of the page, as in its index.html."""

_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Access:
    """ASGI middleware that refuses foreign requests, and adds the headers of all answers."""

    def __init__(self, app: ASGIApp, *, token: str, host: str) -> None:
        """`host` is the name or address that the server was told to listen on."""
        self._app = app
        self._token = token.encode()
        self._host = host.lower()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_api = scope["path"].startswith(API)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                if is_api:
                    headers["Cache-Control"] = "no-store"
            await send(message)

        reason = self._refusal(Headers(scope=scope), is_api=is_api)
        app = self._app if reason is None else refusal(403, reason)
        await app(scope, receive, send_with_headers)

    def _refusal(self, headers: Headers, *, is_api: bool) -> str | None:
        """Return why a request is refused, None if it is not."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return "this host name does not belong to the lab; open the address that it printed"
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in _origins(hosts[0]):
            return "requests of other origins are refused"
        if not is_api:
            return None
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(token.encode(), self._token):
            return "the token is missing or wrong; open the address that evenair lab printed"
        return None

    def _is_own(self, host: str) -> bool:
        """Return whether a Host cannot be a name that somebody else has made lead here."""
        name = _without_port(host.lower())
        if name in ("localhost", self._host):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def refusal(status: int, message: str) -> JSONResponse:
    """Return the answer to a request that is refused."""
    return JSONResponse({"error": {"message": message}}, status)


def _without_port(host: str) -> str:
    if host.startswith("["):  # IPv6
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _origins(host: str) -> tuple[str, str]:
    """Return the origins of pages of a host, one of them behind a proxy that speaks TLS."""
    return f"http://{host.lower()}", f"https://{host.lower()}"
