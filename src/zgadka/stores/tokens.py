"""The doors: tokens, answers that are given again, and secrets of this store."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from zgadka.model.moments import micros, micros_or_none, moment
from zgadka.model.token import Grant, Token
from zgadka.stores.base import Base
from zgadka.stores.rows import Row

_SCOPE = ("platforms", "spaces", "people", "direct", "reads")


@dataclass(frozen=True)
class Given:
    """What is kept of a request that may come again.

    Attributes:
        request: A digest of the request.
        status: The answer's; None while there is no answer.
        body: The answer's; None: it was removed, for somebody was erased since.
    """

    request: bytes
    status: int | None
    body: str | None


class Tokens(Base):
    """The doors: tokens, answers that are given again, and secrets of this store."""

    def add_token(self, token: Token) -> None:
        """Keep a new token."""
        grant = token.grant
        self._rows(
            "token_add",
            {
                "id": grant.token,
                "digest": token.digest,
                "role": grant.role,
                "label": grant.label,
                "scope": json.dumps({name: getattr(grant, name) for name in _SCOPE}),
                "created_at": micros(token.created_at),
                "expires_at": micros_or_none(token.expires_at),
            },
        )

    def token(self, number: int) -> Token | None:
        """The token with this id."""
        rows = self._rows("token_get", {"id": number})
        return _token(rows[0]) if rows else None

    def tokens(self) -> list[Token]:
        """Every token, in order of id."""
        return [_token(row) for row in self._rows("tokens", {})]

    def drop_token(self, number: int) -> bool:
        """Remove a token, and the answers that its holder got; False when there is none."""
        self._rows("answers_drop", {"token": number})
        return bool(self._rows("token_drop", {"id": number}))

    def claim_answer(self, token: int, key: str, request: bytes, until: datetime) -> Given | None:
        """What is known of a request that has this key; None: nothing, and until then it is the caller's to answer."""
        place = {"token": token, "key": key}
        new = {"request": request, "expires_at": micros(until), "now": micros(self.now)}
        if self._rows("answer_claim", place | new):
            return None
        return Given(*self._rows("answer_get", place)[0])

    def hold_answer(self, token: int, key: str, held: datetime, until: datetime) -> bool:
        """Let a claim end later; False when it is not that claim any more."""
        place = {"token": token, "key": key, "held": micros(held)}
        return bool(self._rows("answer_hold", place | {"expires_at": micros(until)}))

    def keep_answer(self, token: int, key: str, held: datetime, status: int, body: str | None, until: datetime) -> bool:
        """Keep what was answered; without a body, only that it was. False when it is not that claim any more."""
        place = {"token": token, "key": key, "held": micros(held)}
        return bool(self._rows("answer_keep", place | {"status": status, "body": body, "expires_at": micros(until)}))

    def release_answer(self, token: int, key: str, held: datetime) -> None:
        """Let a request be made again, since nothing came of it."""
        self._rows("answer_release", {"token": token, "key": key, "held": micros(held)})

    def secret(self, name: str, fresh: bytes) -> bytes:
        """The store's secret of this name: from the first call on, what was given then."""
        self._rows("secret_add", {"name": name, "value": fresh})
        return self.known_secret(name) or fresh

    def known_secret(self, name: str) -> bytes | None:
        """The store's secret of this name; None before the first call of `secret`."""
        rows = self._rows("secret_get", {"name": name})
        return bytes(rows[0][0]) if rows else None


def _token(row: Row) -> Token:
    number, digest, role, label, stored, created_at, expires_at = row
    scope: dict[str, Any] = json.loads(stored)
    scope |= {name: tuple(scope[name]) for name in ("platforms", "spaces", "people")}
    return Token(
        grant=Grant(token=number, role=role, label=label, **scope),
        digest=bytes(digest),
        created_at=moment(created_at),
        expires_at=None if expires_at is None else moment(expires_at),
    )
