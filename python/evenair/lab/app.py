"""The requests of the lab, as an ASGI application.

An error of a scenario is an answer like a result, with status 200: `{"error": {"message": ...,
"field": ..., "line": ...}}`. A request that is not valid has the same body and a status of 400 or
above.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from evenair._core import RESULT_VERSION, __version__
from evenair.lab.access import Access, refusal
from evenair.lab.campaigns import KEYS, Campaign, Campaigns
from evenair.lab.engine import Gone, Runs
from evenair.lab.requests import BadRequest, engine_call, read

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from evenair.lab.follow import Source
    from evenair.lab.page import Page

_CALLS = {
    "run": ("toml", "seed", "trace_s"),
    "air_trace": ("toml", "seed", "trace_s", "from_s", "accesses"),
}
"""Requests that the engine answers, and their keys."""

_SILENCE_S = 15.0
"""A stream without news says so after this time, so that an end of the connection is noticed."""


class Lab:
    """The state of a server. `stop` ends what it does, `app` is the application."""

    def __init__(
        self, page: Page, *, token: str, host: str, scenario: str | None, sources: Sequence[Source]
    ) -> None:
        """`scenario` is the TOML text that the page begins with, `host` where it listens."""
        self._scenario = scenario
        self._sources = sources
        self._runs = Runs()
        self._campaigns = Campaigns()
        self._stopping = asyncio.Event()
        api = [
            Route("/about", self._about),
            *(Route(f"/{call}", self._engine, methods=["POST"], name=call) for call in _CALLS),
            Route("/live/{number:int}", self._live),
            Route("/campaigns", self._list_campaigns),
            Route("/campaigns", self._start_campaign, methods=["POST"]),
            Route("/campaigns/{number:int}", self._campaign),
            Route("/campaigns/{number:int}", self._remove_campaign, methods=["DELETE"]),
            Route("/campaigns/{number:int}/stop", self._stop_campaign, methods=["POST"]),
            Route("/campaigns/{number:int}/file", self._campaign_file),
        ]
        routes = [Mount("/api", routes=api), Route("/{path:path}", page.answer)]
        handlers: Any = {
            BadRequest: lambda _, error: refusal(error.status, str(error)),
            HTTPException: lambda _, error: refusal(error.status_code, error.detail),
            Gone: lambda _, error: refusal(503, "the lab is ending"),
            Exception: _internal,
        }
        app = Starlette(routes=routes, exception_handlers=handlers, lifespan=self._lifespan)
        self.app: ASGIApp = Access(app, token=token, host=host)

    def stop(self) -> None:
        """End runs and streams, so that connections can be closed."""
        self._stopping.set()
        self._runs.close()

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            self.stop()
            await self._campaigns.close()

    async def _about(self, _: Request) -> Response:
        sources = [{"kind": source.kind, "name": source.name} for source in self._sources]
        about = {
            "version": __version__,
            "result_version": RESULT_VERSION,
            "parallel": self._runs.parallel,
            "scenario": self._scenario,
            "live": sources,
        }
        return JSONResponse(about)

    async def _engine(self, request: Request) -> Response:
        call = request.url.path.rpartition("/")[2]
        document = await read(request, _CALLS[call])
        text = await self._runs.answer(engine_call(call, document), request)
        return Response(text, media_type="application/json")

    async def _live(self, request: Request) -> Response:
        number = request.path_params["number"]
        if number >= len(self._sources):
            raise BadRequest(f"there is no source {number}", 404)
        return self._stream(self._sources[number].lines())

    # --- Sweeps -----------------------------------------------------------------------------------

    async def _list_campaigns(self, _: Request) -> Response:
        return JSONResponse([_summary(campaign) for campaign in self._campaigns.all()])

    async def _start_campaign(self, request: Request) -> Response:
        campaign = await self._campaigns.start(await read(request, KEYS))
        return JSONResponse({"ok": _summary(campaign)}, 201)

    async def _campaign(self, request: Request) -> Response:
        return self._stream(self._named(request).lines())

    async def _stop_campaign(self, request: Request) -> Response:
        campaign = self._named(request)
        await campaign.stop()
        return JSONResponse({"ok": _summary(campaign)})

    async def _remove_campaign(self, request: Request) -> Response:
        await self._campaigns.remove(request.path_params["number"])
        return Response(status_code=204)

    async def _campaign_file(self, request: Request) -> Response:
        campaign = self._named(request)
        out = campaign.out
        # A file that is there before may be no table, and not for pages.
        if _summary(campaign)["state"] != "done" or not out.is_file():
            raise BadRequest("the sweep has no file yet", 404)
        return FileResponse(out, media_type="application/vnd.apache.parquet", filename=out.name)

    def _named(self, request: Request) -> Campaign:
        return self._campaigns.get(request.path_params["number"])

    # --- Streams ----------------------------------------------------------------------------------

    def _stream(self, lines: AsyncIterator[bytes]) -> Response:
        return StreamingResponse(self._until_stop(lines), media_type="application/x-ndjson")

    async def _until_stop(self, lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Return lines until there are no more or the server stops, and blank ones in silence."""
        stopping = asyncio.create_task(self._stopping.wait())
        following = aiter(lines)
        block: asyncio.Future[bytes] | None = None
        try:
            while not stopping.done():
                block = block or asyncio.ensure_future(anext(following))
                waited: list[asyncio.Future[Any]] = [block, stopping]
                await asyncio.wait(waited, timeout=_SILENCE_S, return_when=asyncio.FIRST_COMPLETED)
                if block.done():
                    try:
                        yield block.result()
                    except StopAsyncIteration:
                        return
                    block = None
                else:
                    yield b"\n"
        finally:
            stopping.cancel()
            if block is not None:
                block.cancel()
                with suppress(asyncio.CancelledError, StopAsyncIteration):
                    await block


def _summary(campaign: Campaign) -> dict[str, Any]:
    outcome = campaign.outcome or {"state": "running"}
    return {"number": campaign.number, "name": campaign.out.name, **outcome}


def _internal(_: Request, error: Exception) -> Response:
    what = " ".join(f"{type(error).__name__}: {error}".split())
    print(f"evenair: internal error: {what}; please report it", file=sys.stderr)
    return refusal(500, f"internal error: {what}")
