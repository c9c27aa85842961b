"""Who is at the browser, and whether a form comes from a page of ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar
from urllib.parse import parse_qsl

from fastapi import Request, Response

from zgadka.errors import InvalidInput
from zgadka.model.token import ANYBODY, Grant, Token
from zgadka.model.turn import Turn
from zgadka.ops import browser_sessions
from zgadka.ops.browser_sessions import Sealed
from zgadka.stores.tx import Tx
from zgadka.web.auth import memory_of
from zgadka.web.problem import Problem

T = TypeVar("T")

OPERATOR_COOKIE, PERSON_COOKIE, LANGUAGE_COOKIE = "zgadka_operator", "zgadka_person", "zgadka_language"
OPERATOR_PATH, PERSON_PATH = "/dashboard", "/me"
_FIELDS_BEFORE, _FIELDS = 20, 600
"""How many fields a form may have: before there is a session, and within one."""
_MOST_IDS = 500
_LONGEST_ADDRESS = 1000


class Form(dict[str, str]):
    """The fields of a form, by name; of a name that is there several times, the last."""

    def __init__(self, fields: Iterable[tuple[str, str]] = ()) -> None:
        """Keep all the fields."""
        self._fields = list(fields)
        super().__init__(self._fields)

    def all(self, name: str) -> str:
        """All values of a name, a comma between two."""
        return ",".join(value for field, value in self._fields if field == name)


@dataclass(frozen=True)
class Visitor:
    """Who is at the browser.

    Attributes:
        form_token: What each form carries.
        grant: What they may do: an operator, or a person on their own page.
        turn: Of a person; None: it is an operator.
    """

    form_token: str
    grant: Grant
    turn: Turn | None = None

    @property
    def reads(self) -> bool:
        """Whether they may read what people are remembered by."""
        return self.turn is None and (self.grant.everything or self.grant.reads)


async def operator(request: Request) -> Visitor | None:
    """The operator whose session the request is of; None: nobody's."""
    token, form = await _session(request, OPERATOR_COOKIE, browser_sessions.operator_of)
    if isinstance(token, Token):
        return Visitor(form, token.grant) if token.grant.has("operator") else None
    is_open = token == browser_sessions.NOBODY and not request.app.state.doors.authenticates
    return Visitor(form, replace(ANYBODY, role="operator")) if is_open else None


async def person(request: Request) -> Visitor | None:
    """The person whose session the request is of; None: nobody's."""
    session, form = await _session(request, PERSON_COOKIE, browser_sessions.person_of)
    if session is None:
        return None
    return Visitor(form, session.grant, alone(session.grant.platforms[0], session.grant.people[0]))


async def _session(request: Request, name: str, owner_of: Callable[[Tx, str], T]) -> tuple[T, str]:
    """Whose the session is, and what each form of it carries."""
    cookie = request.cookies.get(name, "")
    return await memory_of(request).look(lambda tx: (owner_of(tx, cookie), browser_sessions.form_token(tx, cookie)))


def alone(platform: str, name: str) -> Turn:
    """A turn of the person in their direct chat: what they decide is theirs alone."""
    return Turn(platform=platform, space=name, chat=name, user=name, direct=True)


async def form_of(request: Request, visitor: Visitor | None) -> Form:
    """The fields of a form that was sent.

    Args:
        visitor: Whose session it must be of; None: there is no session yet.

    Raises:
        Problem: It is no form, or not one of this session.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise Problem(415, "A form was expected.")
    try:
        body = (await request.body()).decode()
        most = _FIELDS if visitor else _FIELDS_BEFORE
        fields = Form(parse_qsl(body, keep_blank_values=True, strict_parsing=bool(body), max_num_fields=most))
    except ValueError:
        raise Problem(400, "The form cannot be read.") from None
    cookie = request.cookies.get(PERSON_COOKIE if visitor and visitor.turn else OPERATOR_COOKIE, "")
    if visitor is None:
        return fields
    if not await memory_of(request).look(browser_sessions.is_own_form, cookie, fields.get("form_token", "")):
        raise Problem(403, "This form is not from a page of your session: open the page again.")
    return fields


def number_of(text: str) -> int:
    """The number that an address or a field holds.

    Raises:
        InvalidInput: It holds none.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 16):
        raise InvalidInput("a number was expected")
    return int(text)


def own_address(fields: Mapping[str, str]) -> str:
    """The page of the dashboard that `to` names, where somebody goes on who logged in; empty: none of them."""
    to = fields.get("to", "")
    is_own = to.partition("?")[0].startswith(f"{OPERATOR_PATH}/") and len(to) < _LONGEST_ADDRESS and to.isprintable()
    return to if is_own and "\\" not in to else ""


def optional_number(text: str | None) -> int | None:
    """The number that an address or a field holds; None where it is empty or missing.

    Raises:
        InvalidInput: It holds something else.
    """
    return number_of(text) if text else None


def versions_of(text: str) -> dict[int, int | None]:
    """The memories that an address or a form names by `memory_ref`, a comma between two; what is none is left out.

    Each with the version that was shown; None where it is not told.
    """
    versions: dict[int, int | None] = {}
    for ref in text.split(","):
        number, _, version = ref.partition(".")
        if all(part.isascii() and part.isdigit() and len(part) <= 16 for part in (number, version or "0")):
            versions.setdefault(int(number), int(version) if version else None)
    return dict(islice(versions.items(), _MOST_IDS))


def memory_ref(number: int, version: int | None) -> str:
    """What names a memory in a form, as it was shown."""
    return str(number) if version is None else f"{number}.{version}"


def keep_cookie(request: Request, response: Response, name: str, sealed: Sealed, path: str) -> None:
    """Have the browser keep a session: for this server's own pages, and never for scripts."""
    response.set_cookie(
        name,
        sealed.cookie,
        max_age=sealed.seconds,
        path=path,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
