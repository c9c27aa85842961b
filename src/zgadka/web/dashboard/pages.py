"""Pages: templates, language, and the headers that every page has."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any, Literal
from urllib.parse import urlencode

import jinja2
from fastapi import Request, Response

from zgadka.locales import LANGUAGES, Language, as_language, text
from zgadka.model.memory import Action, StoredMemory
from zgadka.model.timestamps import day_in
from zgadka.web.auth import memory_of
from zgadka.web.dashboard.charts import Chart, Unit
from zgadka.web.dashboard.session import LANGUAGE_COOKIE

_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "same-origin",  # with no-referrer, forms come without their origin
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "x-robots-tag": "noindex, nofollow",
}
_YEAR_SECONDS = 31_536_000


def page(request: Request, template: str, status: int = 200, /, **values: Any) -> Response:
    """A page, or the part of one that htmx asked for."""
    language = language_of(request)
    other = LANGUAGES[LANGUAGES.index(language) - 1]

    def say(key: str, **values: object) -> str:
        return text(language, f"dashboard.{key}", **values)

    def label(key: str) -> str:
        """The text, or where there is none, the name itself."""
        try:
            return say(key)
        except KeyError:
            return key.rpartition(".")[2].replace("_", " ")

    def action_name(action: Action) -> str:
        return text(language, f"action.{action}")

    def actor_label(actor: str) -> str:
        """Who acted, of whom no person is known: the operator, an operator's token, or the name as it is."""
        kind, _, number = actor.partition(" ")
        if kind == "token" and number.isdecimal():
            return say("by_token", number=number)
        return say("operator") if actor == "operator" else actor

    def reason_name(reason: str) -> str:
        """Why something was changed: a word of the engine's in the reader's language, what else was said as it is."""
        try:
            return say(f"reason.{reason}")
        except KeyError:
            return reason

    html = (
        _templates()
        .get_template(template)
        .render(
            {"visitor": getattr(request.state, "visitor", None)}
            | values
            | {
                "say": say,
                "label": label,
                "action_name": action_name,
                "actor_label": actor_label,
                "reason_name": reason_name,
                **_about_time(request, language),
                "language": language,
                "path": request.url.path,
                "is_part": request.headers.get("hx-request") == "true",
                "other_language": "?" + urlencode({**request.query_params, "lang": other}),
                "other_language_code": other,
            }
        )
    )
    response = Response(html, status, dict(_HEADERS), "text/html; charset=utf-8")
    response.headers["vary"] = "cookie, accept-language, hx-request"
    if request.query_params.get("lang") in LANGUAGES:
        response.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR_SECONDS, path="/", httponly=True, samesite="lax")
    return response


def _about_time(request: Request, language: Language) -> dict[str, Any]:
    """How a page tells of times, in the operator's zone, and of ages."""
    settings = memory_of(request).settings

    def clock_time(at: datetime) -> str:
        return f"{at.astimezone(settings.zone):%Y-%m-%d %H:%M %Z}"

    def age_now(age: int) -> str:
        return text(language, "chat.list.age_now", age=age)

    def time_held(memory: StoredMemory) -> str:
        """When a memory held or will hold, as HTML of our own; empty where nothing is known."""
        since, until = (bound and _day(day_in(settings.zone, bound)) for bound in (memory.valid_from, memory.valid_to))
        if until and memory.closed and not since:
            return text(language, "dashboard.held.until_latest", until=until)
        kinds = {(True, True): "between", (True, False): "since", (False, True): "until"}
        kind = kinds.get((bool(since), bool(until)))
        return text(language, f"dashboard.held.{kind}", since=since, until=until) if kind else ""

    return {"zone_name": settings.time_zone, "clock_time": clock_time, "age_now": age_now, "time_held": time_held}


def static(name: str) -> Response:
    """A file that pages use."""
    content = _files().get(name)
    if content is None:
        return Response(status_code=404)
    headers = {"cache-control": f"public, max-age={_YEAR_SECONDS}, immutable"}
    return Response(content, 200, headers, _KINDS[name[name.rindex(".") :]])


def language_of(request: Request) -> Language:
    """The language that the person chose, or their browser prefers."""
    accepted = (tag.strip()[:2].lower() for tag in request.headers.get("accept-language", "").split(","))
    codes = (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE), *accepted)
    for language in map(as_language, codes):
        if language is not None:
            return language
    return LANGUAGES[0]


@cache
def _files() -> dict[str, bytes]:
    folder = files("zgadka.web.dashboard").joinpath("static")
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.endswith(tuple(_KINDS))}


@cache
def _address(name: str) -> str:
    """A static file's address, another one for every content."""
    return f"/dashboard/static/{name}?v={hashlib.sha256(_files()[name]).hexdigest()[:12]}"


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("zgadka.web.dashboard"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    of_jinja: Any = environment  # whose types are half known
    of_jinja.globals |= {"static": _address}
    of_jinja.filters |= {"amount": _amount, "moment": _moment, "chart": _chart, "address": _address_with}
    return environment


def _address_with(query: Mapping[str, object]) -> str:
    return "?" + urlencode({name: value for name, value in query.items() if value not in (None, "", False)})


def _day(day: str) -> str:
    """A day that the script in the page writes as the reader's language does."""
    return f'<time datetime="{day}" data-day>{day}</time>'


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="seconds")


def _chart(chart: Chart, say: Callable[[str], str]) -> str:
    """The chart as the script in the page reads it."""
    return json.dumps(asdict(chart) | {"labels": {name: say(f"series.{name}") for name in chart.series}})


@jinja2.pass_context
def _amount(context: jinja2.runtime.Context, value: float | None, unit: Unit | Literal["bytes"] = "number") -> str:
    return amount(value, unit, context["language"])


def amount(value: float | None, unit: Unit | Literal["bytes"], language: Language) -> str:
    """A number as people read it."""
    if value is None:
        return "–"
    ms, s, min_, h, mb = text(language, "dashboard.units").split()
    match unit:
        case "percent":
            words = text(language, "dashboard.percent", value=f"{value * 100:.1f}".removesuffix(".0"))
        case "ms":
            spans = ((3_600_000, h, 1), (60_000, min_, 1), (1000, s, 1), (100, ms, 0))
            length, name, digits = next((span for span in spans if value >= span[0]), (1, ms, 1))
            words = f"{value / (1 if name == ms else length):.{digits}f} {name}"
        case "bytes":
            words = f"{value / 1048576:.1f} {mb}"
        case "ratio":
            words = f"{value:.2f}"
        case "number":
            return f"{value:,.0f}".replace(",", "\u202f")
    return words.replace(".", text(language, "dashboard.decimal_point"))
