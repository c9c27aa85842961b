"""Whether the server lives, whether it is ready, and what it counted."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from zgadka import metrics
from zgadka.web.auth import memory_of
from zgadka.web.routes_base import OperatorDoor, Reply
from zgadka.web.schemas import body_of

health = APIRouter(tags=["health"])
counted = APIRouter(tags=["health"], route_class=OperatorDoor)


@health.get("/health/live", summary="Does the process answer?", response_model=dict[str, str])
async def live() -> Response:
    """Answer; asks for no token."""
    return Reply({"status": "live"})


@health.get("/health/ready", summary="Can the store be read?", response_model=dict[str, str])
async def ready(request: Request) -> Response:
    """Read from the store; 503 when that fails. Asks for no token."""
    await memory_of(request).look(lambda tx: tx.last_id("erasure"))
    return Reply({"status": "ready"})


@counted.get("/metrics", summary="Counters and histograms for Prometheus", **body_of("text/plain"))
async def show(request: Request) -> Response:
    """Show what was counted in this process; no text, name or id is in it."""
    page = metrics.page(*await memory_of(request).look(lambda tx: (tx.usage.backlog(), tx.now)))
    return Response(page, media_type="text/plain; version=0.0.4; charset=utf-8")
