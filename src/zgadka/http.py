"""JSON to a model's server over HTTP, blocking, with nothing beyond the base install."""

from __future__ import annotations

import http.client
import ipaddress
import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

_PIECE = 16_384


class ServerError(OSError):
    """The server answers with an error.

    Attributes:
        status: The HTTP status: 300 or more, as a redirection is not followed.
        retry_after: The header of that name, or "".
        body: How its answer begins. It may repeat what was sent.
    """

    def __init__(self, status: int, retry_after: str, body: str) -> None:
        super().__init__(f"the server answers with HTTP {status}")
        self.status = status
        self.retry_after = retry_after
        self.body = body


class Server:
    """One server, asked by POST.

    Args:
        url: The address that the paths are put behind.
        headers: Sent with every request, such as the key.

    Attributes:
        host: Its name or number, for people to read.
        is_here: Whether it runs on this machine.

    Raises:
        ValueError: Not an address of HTTP.
    """

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"{url!r} is no address such as http://localhost:11434/v1")
        self.host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
        self.is_here = is_loopback(parts.hostname)
        self._url = url.rstrip("/")
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        # A proxy of the environment cannot reach this machine's own servers.
        proxies = [urllib.request.ProxyHandler({})] if self.is_here else []
        self._opener = urllib.request.build_opener(_NoRedirects, *proxies)

    def post(self, path: str, body: Any, *, seconds: float, most_bytes: int) -> Any:
        """Return the server's answer, read from JSON.

        Args:
            seconds: The longest that the answer may take, however slowly it comes.
            most_bytes: The longest answer that is read.

        Raises:
            ServerError: The server answers with an error.
            TimeoutError: It does not answer in time.
            OSError: It cannot be reached, or hangs up.
            ValueError: Its answer is too long, or no JSON.
        """
        ends = time.monotonic() + seconds
        request = urllib.request.Request(self._url + path, json.dumps(body).encode(), self._headers)  # noqa: S310
        try:
            with self._opener.open(request, timeout=max(0.01, seconds)) as answer:
                read = bytearray()
                while piece := answer.read1(_PIECE):
                    read += piece
                    # A server that sends a byte now and then never runs into the socket's own limit.
                    if time.monotonic() > ends:
                        raise TimeoutError("the server did not finish in time")
                    if len(read) > most_bytes:
                        raise ValueError("the server's answer is too long")
        except urllib.error.HTTPError as error:
            with error:
                raise ServerError(error.code, error.headers.get("Retry-After", ""), _beginning(error)) from None
        except urllib.error.URLError as error:
            raise error.reason if isinstance(error.reason, OSError) else ConnectionError(error.reason) from None
        except http.client.HTTPException as error:
            raise ConnectionError("the server does not speak HTTP, or hung up") from error
        try:
            return json.loads(read)
        except RecursionError as error:
            raise ValueError("the server's answer is too deep") from error


def _beginning(error: urllib.error.HTTPError) -> str:
    try:
        return cast("Any", error).read1(_PIECE).decode(errors="replace")  # one piece: the rest may never come
    except (OSError, http.client.HTTPException):
        return ""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Takes a redirection as an error: it would carry the key, and what people wrote, to another server."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        return None


def is_loopback(host: str) -> bool:
    """Whether the name or number is one of this machine's own."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
