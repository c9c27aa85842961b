"""Links to what is remembered of one person: each opens their page once, for a browser's session of at most half a day.

A link and a session are rows, as tokens are: each ends with its time, with the token that the link was made with, with
`unlink`, and with the person's erasure.
"""

from __future__ import annotations

from datetime import timedelta

from zgadka.errors import InvalidInput
from zgadka.model.token import Grant, Token
from zgadka.ops.tokens import add_token, find_token, forget_person
from zgadka.stores.tx import Tx

_LONGEST = timedelta(days=31)
_LONGEST_SESSION = timedelta(hours=12)


def make_link(tx: Tx, platform: str, person: str, lasts: timedelta, *, token: int = 0) -> str:
    """Make a link to what is remembered of one person; it is for that person alone.

    Args:
        person: The platform's id.
        lasts: How long it may be opened; up to 31 days.
        token: The id of the token by which it is made; 0: of none.

    Returns:
        Letters, digits, `-` and `_`, to be put into an address.

    Raises:
        InvalidInput: It would last for no time, or for too long.
    """
    if not timedelta(0) < lasts <= _LONGEST:
        raise InvalidInput(f"a link lasts for a time, up to {_LONGEST.days} days, not {lasts}")
    grant = Grant(
        token=0, role="person", label="link", platforms=(platform,), people=(person,), kind="link", parent=token
    )
    return add_token(tx, grant, lasts)[1]


def read_link(tx: Tx, text: str) -> Token | None:
    """Whom a link is for, and until when; None: it is none, was opened, or has ended."""
    return find_token(tx, text, "link")


def open_link(tx: Tx, text: str) -> tuple[Token, str] | None:
    """Open a link, once: the session that begins, and what the browser keeps of it; None as in `read_link`."""
    link = read_link(tx, text)
    if link is None or link.expires_at is None or not tx.tokens.delete(link.grant.token):
        return None
    grant = Grant(
        token=0,
        role="person",
        label="session",
        platforms=link.grant.platforms,
        people=link.grant.people,
        kind="session",
        parent=link.grant.parent,
    )
    return add_token(tx, grant, min(_LONGEST_SESSION, link.expires_at - tx.now))


def session_of(tx: Tx, cookie: str) -> Token | None:
    """The session of a browser; None: there is none, or it has ended."""
    return find_token(tx, cookie, "session")


def unlink(tx: Tx, platform: str, person: str) -> int:
    """End every link and session of a person; returns how many there were."""
    return forget_person(tx, platform, person, ("link", "session"))
