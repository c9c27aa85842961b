"""The doors that are tried: the library in this process, the command line, the REST API, MCP over HTTP."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, get_args
from urllib.parse import quote, urlsplit

from zgadka.assemble import open_memory
from zgadka.errors import InvalidInput, StoreUnavailable
from zgadka.model.token import Grant
from zgadka.ops.tokens import add_token
from zgadka.settings import Settings

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.evals.safety.worlds import Clock
    from zgadka.model.turn import Turn

DoorName = Literal["python", "cli", "rest", "mcp"]
Answer = Mapping[str, Any]
Call = tuple[str, Mapping[str, Any]]
"""A tool and its arguments."""

SETTINGS = Settings(memory_tool_async=False, background=False, serve_calls_per_minute=0)
"""Nothing is queued, so that each answer is final, and no request is one too many; all else is as it comes."""

POLICIES = ("others_may_change", "communal_may_change", "undo_hours")
"""The settings that a class may open a door with others of."""

_ENVIRONMENT = {
    "ZGADKA_MEMORY_TOOL_ASYNC": "false",
    "ZGADKA_BACKGROUND": "false",
    "ZGADKA_MCP_TIER": "full",
    "ZGADKA_SERVE_CALLS_PER_MINUTE": "0",
}
QUESTION = "what was said about the garden and the key?"
_PROTOCOL = "2026-07-28"
_LONGEST_LINE = 2**24


class Door(Protocol):
    """A way into the memory.

    Attributes:
        observes: Whether messages can be given to be looked at.
        tells_time: Whether it hands on when a message was written.
        tells_readers: Whether it hands on who reads a chat.
    """

    observes: ClassVar[bool]
    tells_time: ClassVar[bool]
    tells_readers: ClassVar[bool]

    async def call(self, turn: Turn, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool in somebody's turn."""
        ...

    async def call_all(self, turn: Turn, calls: Sequence[Call]) -> None:
        """Call several tools in one turn, at once where the door can."""
        ...

    async def observe(self, turn: Turn, text: str, own_text: str) -> None:
        """Give a person's message to be looked at."""
        ...

    async def views(self, turn: Turn, memories: Sequence[int], query: str = QUESTION) -> Mapping[str, str]:
        """Everything but tools that shows somebody something: name, and what it shows."""
        ...

    async def erase(self, turn: Turn) -> bool:
        """Have the speaker erased; returns whether the files are clean at once."""
        ...

    async def reopen(self) -> None:
        """Close it and open it again."""
        ...

    async def doomed(self, turn: Turn) -> Doomed:
        """A second door of this kind for the people of a platform, in a process that can be killed."""
        ...

    async def close(self) -> None:
        """Close it."""
        ...


class Doomed(Protocol):
    """What calls go through until it is killed."""

    async def call(self, turn: Turn, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool; raises `ConnectionError` once it is dead."""
        ...

    async def kill(self) -> None:
        """Kill it with the signal that no process can catch."""
        ...


class _PythonDoor:
    """The library, in this process."""

    observes: ClassVar[bool] = True
    tells_time: ClassVar[bool] = True
    tells_readers: ClassVar[bool] = True

    def __init__(self, url: str, clock: Clock | None, settings: Settings, memory: Memory | None = None) -> None:
        self._url = url
        self._clock = clock
        self._settings = settings
        self.memory = memory or open_memory(url, settings=settings, clock=clock)

    async def call(self, turn: Turn, tool: str, arguments: Mapping[str, Any]) -> Answer:
        return await self.memory.call(tool, arguments, turn)

    async def call_all(self, turn: Turn, calls: Sequence[Call]) -> None:
        await self.memory.call_all(calls, turn)

    async def observe(self, turn: Turn, text: str, own_text: str) -> None:
        await self.memory.observe(text, turn, own_text=own_text)

    async def views(self, turn: Turn, memories: Sequence[int], query: str = QUESTION) -> Mapping[str, str]:
        memory = self.memory
        context = await memory.build_context(replace(turn, text=query))
        views: dict[str, object] = {
            "context": (context.text, context.layers),
            "recent": await memory.recent(turn, 100),
            "search": await memory.search_messages(query, turn, 50),
            "consents": await memory.consents(turn),
            "own questions": await memory.questions(turn),
            "own export": await memory.export(turn),
        }
        for number in memories:
            views[f"history of {number}"] = await memory.history(number, turn)
        return {name: str(view) for name, view in views.items()}

    async def erase(self, turn: Turn) -> bool:
        return (await self.memory.erase(turn)).scrubbed

    async def reopen(self) -> None:
        await self.memory.close()
        self.memory = open_memory(self._url, settings=self._settings, clock=self._clock)

    async def doomed(self, turn: Turn) -> Doomed:
        return await _Lines.start(_environment(self._settings), "-m", "zgadka.evals.safety.writer", self._url)

    async def close(self) -> None:
        await self.memory.close()


class _CliDoor:
    """`zgadka call --lines`, and `zgadka person …`."""

    observes: ClassVar[bool] = False
    tells_time: ClassVar[bool] = True
    tells_readers: ClassVar[bool] = True

    def __init__(self, url: str, settings: Settings) -> None:
        self._url = url
        self._environment = _environment(settings)
        self._starting = asyncio.Lock()  # several cases come at once, and one process is enough
        self._lines: _Lines | None = None

    async def call(self, turn: Turn, tool: str, arguments: Mapping[str, Any]) -> Answer:
        async with self._starting:
            self._lines = self._lines or await self.doomed(turn)
        return await self._lines.call(turn, tool, arguments)

    async def call_all(self, turn: Turn, calls: Sequence[Call]) -> None:
        for tool, arguments in calls:
            await self.call(turn, tool, arguments)

    async def observe(self, turn: Turn, text: str, own_text: str) -> None:
        raise NotImplementedError("the command line observes no single messages")

    async def views(self, turn: Turn, memories: Sequence[int], query: str = QUESTION) -> Mapping[str, str]:
        return {}

    async def erase(self, turn: Turn) -> bool:
        options = ("--user", turn.user_key, "--platform", turn.platform, "--db", self._url)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "zgadka", "person", "erase", "--yes", *options),
            env=self._environment,
            stdout=asyncio.subprocess.PIPE,
        )
        receipt, _ = await process.communicate()
        return json.loads(receipt)["scrubbed"]

    async def reopen(self) -> None:
        await self.close()

    async def doomed(self, turn: Turn) -> _Lines:
        return await _Lines.start(self._environment, "-m", "zgadka", "call", "--lines", "--db", self._url)

    async def close(self) -> None:
        if self._lines is not None:
            await self._lines.close()
            self._lines = None


class Server(Protocol):
    """What answers requests."""

    async def ask(self, method: str, path: str, content: object, headers: Mapping[str, str]) -> Answer:
        """Ask it, and read the JSON of its answer."""
        ...

    async def kill(self) -> None:
        """Kill it."""
        ...

    async def close(self) -> None:
        """Stop it."""
        ...


class _RestDoor:
    """`zgadka serve`, over HTTP."""

    observes: ClassVar[bool] = True
    tells_time: ClassVar[bool] = True
    tells_readers: ClassVar[bool] = False

    def __init__(self, url: str, host: Memory, settings: Settings, server: Server | None = None) -> None:
        self._url = url
        self._host = host
        self._settings = settings
        self._starting = asyncio.Lock()  # as above
        self._server = server
        self._tokens: dict[str, str] = {}

    async def call_all(self, turn: Turn, calls: Sequence[Call]) -> None:
        wanted = [{"tool": tool, "args": arguments} for tool, arguments in calls]
        await self._ask(turn, "POST", "/v1/calls", {"calls": wanted, "turn": turn.as_json()})

    async def call(self, turn: Turn, tool: str, arguments: Mapping[str, Any]) -> Answer:
        return await self._ask(turn, "POST", f"/v1/tools/{tool}", {"args": arguments, "turn": turn.as_json()})

    async def observe(self, turn: Turn, text: str, own_text: str) -> None:
        body = {"text": text, "own_text": own_text, "turn": turn.as_json()}
        await self._ask(turn, "POST", "/v1/messages/observe", body)

    async def views(self, turn: Turn, memories: Sequence[int], query: str = QUESTION) -> Mapping[str, str]:
        acting = {"turn": turn.as_json()}
        asking = {"query": query} | acting
        views: dict[str, object] = {
            "context": await self._ask(turn, "POST", "/v1/context", asking),
            "search": await self._ask(turn, "POST", "/v1/messages/search", asking),
            "recent": await self._look(turn, "/v1/messages?limit=100"),
            "list": await self._look(turn, "/v1/memories"),
            "consents": await self._look(turn, "/v1/me/consents"),
            "own questions": await self._look(turn, "/v1/me/questions"),
            "own export": await self._look(turn, "/v1/me/export"),
        }
        for number in memories:
            views[f"history of {number}"] = await self._look(turn, f"/v1/memories/{number}/history")
        return {name: json.dumps(view, ensure_ascii=False) for name, view in views.items()}

    async def erase(self, turn: Turn) -> bool:
        body = {"confirm": turn.user_key, "turn": turn.as_json()}
        return (await self._ask(turn, "POST", "/v1/me/erase", body))["scrubbed"]

    async def reopen(self) -> None:
        await self.close()

    async def doomed(self, turn: Turn) -> Doomed:
        door = type(self)(self._url, self._host, self._settings)
        await door.call(turn, "recall", {"query": "anything"})  # from now on it needs the host for nothing
        return door

    async def kill(self) -> None:
        await (await self._started()).kill()

    async def close(self) -> None:
        if self._server is not None:
            await self._server.close()
            self._server = None

    async def _look(self, turn: Turn, path: str) -> Answer:
        return await self._ask(turn, "GET", path, None, in_headers(turn))

    async def _ask(
        self, turn: Turn, method: str, path: str, body: object, headers: Mapping[str, str] | None = None
    ) -> Answer:
        if turn.platform not in self._tokens:
            grant = Grant(token=0, role="service", platforms=(turn.platform,))
            _, self._tokens[turn.platform] = await self._host.apply(add_token, grant)
        token = {"Authorization": f"Bearer {self._tokens[turn.platform]}"}
        return await (await self._started()).ask(method, path, body, {**token, **(headers or {})})

    async def _started(self) -> Server:
        async with self._starting:
            self._server = self._server or await _Server.start(self._url, _environment(self._settings))
        return self._server


class _McpDoor(_RestDoor):
    """`zgadka serve`, by MCP in its newest protocol; erasing, which MCP does not have, goes by REST."""

    observes: ClassVar[bool] = False
    tells_time: ClassVar[bool] = False

    def __init__(
        self,
        url: str,
        host: Memory,
        settings: Settings,
        server: Server | None = None,
        reply: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(url, host, settings, server)
        self._reply = reply

    async def call(self, turn: Turn, tool: str, arguments: Mapping[str, Any]) -> Answer:
        if turn.direct or tool == "clear_profile":  # there the tools have no user_id: only one person can be meant
            arguments = {
                name: value for name, value in arguments.items() if (name, value) != ("user_id", turn.user_number)
            }
        meta = {"zgadka/turn": turn.turn, "zgadka/text": turn.text}
        meta = {name: value for name, value in meta.items() if value is not None}
        request: dict[str, Any] = {"name": tool, "arguments": arguments, "_meta": meta}
        answer = await self._rpc(turn, "tools/call", request)
        if answer.get("result", {}).get("inputRequests"):
            request |= {"requestState": answer["result"]["requestState"], "inputResponses": {"confirm": self._reply}}
            answer = await self._rpc(turn, "tools/call", request)
        if "result" not in answer:
            return {"status": "refused", "answer": answer}
        result = answer["result"]
        return {**(result.get("structuredContent") or {"status": "refused"}), "all of it": result.get("content")}

    async def call_all(self, turn: Turn, calls: Sequence[Call]) -> None:
        for tool, arguments in calls:
            await self.call(turn, tool, arguments)

    async def views(self, turn: Turn, memories: Sequence[int], query: str = QUESTION) -> Mapping[str, str]:
        words = quote(query, safe="")
        places = ["profile", "recent", "context", f"search/{words}", *(f"memories/{number}" for number in memories)]
        views: dict[str, str] = {}
        for path in places:
            view = await self._rpc(turn, "resources/read", {"uri": f"memory://{path}", "_meta": {}})
            views[path.replace(words, "")] = json.dumps(view, ensure_ascii=False).replace(words, "")
        return views

    async def _rpc(self, turn: Turn, method: str, params: dict[str, Any]) -> Answer:
        capabilities: dict[str, Any] = {} if self._reply is None else {"elicitation": {"form": {}}}
        body, headers = mcp_request(method, params, capabilities)
        return await self._ask(turn, "POST", "/mcp", body, headers | in_headers(replace(turn, turn=None, message=None)))


def mcp_request(
    method: str, params: Mapping[str, Any], capabilities: Mapping[str, Any] | None = None
) -> tuple[dict[str, Any], dict[str, str]]:
    """Body and headers of a request of the newest protocol."""
    client: dict[str, Any] = {
        "protocolVersion": _PROTOCOL,
        "clientInfo": {"name": "zgadka-eval", "version": "1"},
        "clientCapabilities": capabilities or {},
    }
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in client.items()} | params.get("_meta", {})
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Mcp-Protocol-Version": _PROTOCOL,
        "Mcp-Method": method,
        "Mcp-Name": params.get("name") or params["uri"],
    }
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}, headers


def door_named(name: str) -> DoorName:
    """The door with this name.

    Raises:
        InvalidInput: There is none.
    """
    match name:
        case "python" | "cli" | "rest" | "mcp":
            return name
        case _:
            raise InvalidInput(f"no door {name!r}; there are {', '.join(get_args(DoorName))}")


def open_door(
    name: DoorName,
    url: str,
    host: Memory,
    clock: Clock | None,
    settings: Settings,
    *,
    memory: Memory | None = None,
    server: Server | None = None,
    reply: Mapping[str, Any] | None = None,
) -> Door:
    """Open a door to a database.

    Args:
        memory: What the library is; None: one is opened.
        server: What answers HTTP; None: one is started.
        reply: What the person answers who is asked by MCP; None: the client can show no question.
    """
    match name:
        case "python":
            return _PythonDoor(url, clock, settings, memory)
        case "cli":
            return _CliDoor(url, settings)
        case "rest":
            return _RestDoor(url, host, settings, server)
        case "mcp":
            return _McpDoor(url, host, settings, server, reply)


def _environment(settings: Settings) -> dict[str, str]:
    """What tells another process the policies, and what else the doors are opened with."""
    policies = {f"ZGADKA_{name.upper()}": str(getattr(settings, name)) for name in POLICIES}
    return os.environ | _ENVIRONMENT | policies


def in_headers(turn: Turn) -> dict[str, str]:
    """Who speaks, as headers say it."""
    names = ("platform", "space", "chat", "thread", "user", "turn", "message", "persona", "direct")
    fields = {name: value for name, value in turn.as_json().items() if name in names}
    return {
        f"Zgadka-{name.capitalize()}": quote(str(value).lower() if name == "direct" else str(value), safe="")
        for name, value in fields.items()
    }


class _Lines:
    """A process that takes calls as lines and answers them in order."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._asked: deque[asyncio.Future[Answer]] = deque()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, environment: Mapping[str, str], *command: str) -> _Lines:
        started = await asyncio.create_subprocess_exec(
            *(sys.executable, *command),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
            env=environment,
        )
        return cls(started)

    async def call(self, turn: Turn, tool: str, arguments: Mapping[str, Any]) -> Answer:
        if self._reading.done() or self._process.stdin is None:
            raise ConnectionResetError
        line = {"tool": tool, "args": arguments, "turn": turn.as_json()}
        answer = asyncio.get_running_loop().create_future()
        self._asked.append(answer)
        self._process.stdin.write(json.dumps(line).encode() + b"\n")
        return await answer

    async def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._reading
        await self._process.wait()

    async def close(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._reading
        await self._process.wait()

    async def _read(self) -> None:
        reader = self._process.stdout
        while reader is not None and (line := await reader.readline()).endswith(b"\n"):
            self._asked.popleft().set_result(json.loads(line))
        for unanswered in self._asked:
            unanswered.set_exception(ConnectionResetError())


class _Server:
    """`zgadka serve` on a port of its own."""

    def __init__(self, process: asyncio.subprocess.Process, address: str) -> None:
        self._process = process
        self._place = address
        self._logging = asyncio.create_task(self._drain())

    @classmethod
    async def start(cls, url: str, environment: Mapping[str, str]) -> _Server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "zgadka", "serve", "--listen", "127.0.0.1:0", "--db", url),
            stderr=asyncio.subprocess.PIPE,
            env=environment,
        )
        log = b""
        while process.stderr is not None and (line := await process.stderr.readline()):
            log += line
            address = line.decode().partition("serving at ")[2].partition(";")[0]
            if address:
                return cls(process, urlsplit(address).netloc)
        raise StoreUnavailable(f"`zgadka serve` did not begin: {log.decode(errors='replace').strip()}")

    async def ask(self, method: str, path: str, content: object, headers: Mapping[str, str]) -> Answer:
        return await asyncio.to_thread(self._ask, method, path, content, headers)

    async def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        await self._logging

    async def close(self) -> None:
        with suppress(ProcessLookupError):
            self._process.terminate()
        await self._process.wait()
        await self._logging

    def _ask(self, method: str, path: str, content: object, headers: Mapping[str, str]) -> Answer:
        connection = http.client.HTTPConnection(self._place, timeout=60)
        try:
            body = None if content is None else json.dumps(content).encode()
            connection.request(
                method,
                path,
                body,
                {"Content-Type": "application/json", **headers},
            )
            answered = connection.getresponse().read()
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionResetError from error
        finally:
            connection.close()
        return read_answer(answered)

    async def _drain(self) -> None:
        while self._process.stderr is not None and await self._process.stderr.readline():
            pass


def read_answer(answered: bytes) -> Answer:
    """The JSON object of an answer, or its lines."""
    text = answered.decode()
    if text.startswith(("event:", "data:")):
        text = next(line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:"))
    try:
        return json.loads(text)
    except ValueError:
        return {"lines": text.splitlines()}
