"""Who is let in: tokens, answers that are given again, and secrets of this store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from zgadka.model.timestamps import micros, micros_or_none, moment, moment_or_none
from zgadka.model.token import Grant, Token
from zgadka.stores.row_mapping import Row, readable
from zgadka.stores.tx.base import Topic

_SCOPE = ("platforms", "spaces", "people", "direct", "reads", "kind", "parent")


@dataclass(frozen=True)
class StoredAnswer:
    """What is kept of a request that may come again.

    Attributes:
        request: A digest of the request.
        status: The answer's; None while there is no answer.
        body: The answer's; None: it was removed, for somebody was erased since, or raised their privacy level.
    """

    request: bytes
    status: int | None
    body: str | None


class Tokens(Topic):
    """Tokens that let callers in."""

    def add(self, token: Token) -> None:
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

    def get(self, number: int) -> Token | None:
        """The token with this id."""
        tokens = readable(token_of, self._rows("token_get", {"id": number}), "token")
        return tokens[0] if tokens else None

    def list(self) -> Sequence[Token]:
        """Every token, in order of id."""
        return readable(token_of, self._rows("tokens", {}), "token")

    def delete(self, number: int) -> bool:
        """Remove a token, and the answers that its holder got; False when there is none."""
        self._rows("answers_drop", {"token": number})
        return bool(self._rows("token_drop", {"id": number}))


class Answers(Topic):
    """Answers to requests that may come again."""

    def claim(self, token: int, key: str, request: bytes, until: datetime) -> StoredAnswer | None:
        """What is known of a request that has this key; None: nothing, and until then it is the caller's to answer."""
        claim = {"token": token, "key": key}
        new = {"request": request, "expires_at": micros(until), "now": micros(self._tx.now)}
        if self._rows("answer_claim", claim | new):
            return None
        return StoredAnswer(*self._rows("answer_get", claim)[0])

    def extend(self, token: int, key: str, held: datetime, until: datetime) -> bool:
        """Let a claim end later; False when it is not that claim any more."""
        claim = {"token": token, "key": key, "held": micros(held)}
        return bool(self._rows("answer_hold", claim | {"expires_at": micros(until)}))

    def put(self, token: int, key: str, held: datetime, status: int, body: str | None, until: datetime) -> bool:
        """Keep what was answered; without a body, only that it was. False when it is not that claim any more."""
        claim = {"token": token, "key": key, "held": micros(held)}
        return bool(self._rows("answer_keep", claim | {"status": status, "body": body, "expires_at": micros(until)}))

    def forget_bodies(self) -> None:
        """Keep of no answer more than that it was given: nobody can tell of whom they speak."""
        self._rows("erase_answers", {})

    def release(self, token: int, key: str, held: datetime) -> None:
        """Let a request be made again, since nothing came of it."""
        self._rows("answer_release", {"token": token, "key": key, "held": micros(held)})


class Secrets(Topic):
    """Secrets of this store."""

    def ensure(self, name: str, fresh: bytes) -> bytes:
        """The store's secret of this name: from the first call on, what was given then."""
        self._rows("secret_add", {"name": name, "value": fresh})
        return self.get(name) or fresh

    def get(self, name: str) -> bytes | None:
        """The store's secret of this name; None before the first call of `ensure`."""
        rows = self._rows("secret_get", {"name": name})
        return bytes(rows[0][0]) if rows else None

    def delete(self, name: str) -> None:
        """Remove the store's secret of this name."""
        self._rows("secret_delete", {"name": name})


def token_of(row: Row) -> Token:
    """The token that a row holds."""
    number, digest, role, label, stored, created_at, expires_at = row
    scope: dict[str, Any] = json.loads(stored)
    scope |= {name: tuple(scope[name]) for name in ("platforms", "spaces", "people")}
    return Token(
        grant=Grant(token=number, role=role, label=label, **scope),
        digest=bytes(digest),
        created_at=moment(created_at),
        expires_at=moment_or_none(expires_at),
    )
