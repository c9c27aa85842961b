"""OpenTelemetry spans, where the host has set OpenTelemetry up; else nothing, for the price of one look-up.

The package is never loaded here: whoever wants spans has loaded it and set a tracer provider. No attribute of a span
holds a text, a name or an id, and what an exception says is not recorded.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry import trace
    from opentelemetry.context import Context

Attributes = Mapping[str, str | int | bool]

_API = "opentelemetry.trace"
_SCOPE = "zgadka"


class _NoSpan:
    """What is under way where nobody traces."""

    def set_attribute(self, key: str, value: str | int | bool) -> None:
        """Do nothing."""


_NO_SPAN = nullcontext(_NoSpan())


def span(name: str, attributes: Attributes | None = None) -> AbstractContextManager[trace.Span | _NoSpan]:
    """A span for as long as the context lasts; spans that begin within are its children."""
    tracer = _tracer()
    if tracer is None:
        return _NO_SPAN
    return tracer.start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    )


class Timed:
    """An operation on its way through a back end's threads, within the span that asked for it."""

    __slots__ = ("_asked", "_begun", "_context", "_tracer")

    def __init__(self, tracer: trace.Tracer, context: Context) -> None:
        self._tracer = tracer
        self._context = context
        self._asked = time.time_ns()
        self._begun = 0

    def begin(self) -> None:
        """It runs from now on; in any thread."""
        self._begun = time.time_ns()

    def end(self, *, durable: bool) -> None:
        """It is done: tell how long it waited and how long it ran, until it was committed."""
        begun, ended = self._begun or time.time_ns(), time.time_ns()
        for name, start, end in (("wait", self._asked, begun), ("run", begun, ended)):
            span = self._tracer.start_span(
                f"zgadka.store.{name}", self._context, attributes={"zgadka.durable": durable}, start_time=start
            )
            span.end(end)


def timed() -> Timed | None:
    """Time an operation that is asked for now; None where no span is under way."""
    tracer = _tracer()
    if tracer is None:
        return None
    api = sys.modules[_API]
    current = api.get_current_span()
    return Timed(tracer, api.set_span_in_context(current)) if current.is_recording() else None


def _tracer() -> trace.Tracer | None:
    if _API not in sys.modules:
        return None
    api = sys.modules[_API]
    provider = api.get_tracer_provider()
    # Until somebody sets a provider there is a stand-in, whose spans cost time and go nowhere.
    return None if isinstance(provider, api.ProxyTracerProvider) else provider.get_tracer(_SCOPE)
