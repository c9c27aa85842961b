"""What went wrong, as `application/problem+json` (RFC 9457); never what is inside."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from zgadka.errors import InvalidInput, NotAllowed, StoreBusy, StoreError, StoreUncertain, StoreUnfinished, UnknownTool

Headers = list[tuple[bytes, bytes]]

_SOON = {"retry-after": "1"}


class Problem(Exception):  # noqa: N818  (the field's word)
    """A request that is answered with an error.

    Attributes:
        status: The HTTP status.
        detail: A sentence for whoever made the request.
        headers: Further headers of the answer.
        more: Further members of the answer.
    """

    def __init__(
        self, status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Sequence[Mapping[str, Any]]
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        self.more = more

    @property
    def body(self) -> bytes:
        """The answer's body."""
        title = HTTPStatus(self.status).phrase
        members = {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail}
        return json.dumps(members | self.more).encode()

    @property
    def raw_headers(self) -> Headers:
        """The answer's headers."""
        length = str(len(self.body)).encode()
        own: Headers = [(b"content-type", b"application/problem+json"), (b"content-length", length)]
        return own + [(name.lower().encode(), value.encode("latin-1")) for name, value in self.headers.items()]


def problem_of(error: Exception) -> Problem | None:
    """What an error of the engine is as an answer; None for what is no answer of its own."""
    match error:
        case Problem():
            return error
        case NotAllowed():
            return Problem(403, f"{str(error)[:1].upper()}{str(error)[1:]}.")
        case UnknownTool():
            return Problem(404, str(error))
        case InvalidInput():
            return Problem(422, str(error))
        case StoreUnfinished():
            return Problem(500, "It was begun; what is left of it is done soon, by itself.")
        case StoreUncertain():
            return Problem(500, "It may have been done or not: look before you repeat it.")
        case StoreBusy():
            return Problem(503, "The memory is busy; nothing was changed.", _SOON)
        case StoreError():
            return Problem(503, "The memory cannot be reached; nothing was changed.", _SOON)
        case _:
            return None
