"""Grants: whatever token is shown, in whatever turn, each door does what the table of DESIGN.md, 2a, lets it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal, cast

from zgadka.errors import InvalidInput
from zgadka.evals.safety import table
from zgadka.evals.safety.bench import Bench
from zgadka.evals.safety.deleting import number_of
from zgadka.evals.safety.doors import in_headers, mcp_request
from zgadka.evals.safety.entrances import BotEntrance
from zgadka.evals.safety.in_process import InProcess, Reply
from zgadka.evals.safety.worlds import Outcome, World, shows
from zgadka.locales import text
from zgadka.model.token import Grant, TokenRole
from zgadka.model.turn import Turn
from zgadka.ops.tokens import add_token, revoke_token
from zgadka.tools.registry import REGISTRY

if TYPE_CHECKING:
    from zgadka.engine import Memory

TRIED_A_WORLD = 12
"""Uses of tokens in one world; each is a case."""

State = Literal["good", "revoked", "over", "never made"]
_STATES: tuple[State, ...] = ("good", "good", "good", "good", "good", "revoked", "over", "never made")


@dataclass(frozen=True)
class Site:
    """Two people with words of theirs in a group and alone.

    Attributes:
        notes: Ids of the first one's notes: said in the group, and alone.
        secrets: What each said alone, by their id.
        owner: The first one's number, by which operators name them.
    """

    world: World
    web: InProcess
    memory: Memory
    notes: tuple[int, int]
    secrets: Mapping[str, str]
    owner: int


@dataclass(frozen=True)
class Use:
    """What came of showing a token.

    Attributes:
        told: All that was answered.
    """

    is_refused: bool
    told: str


@dataclass(frozen=True)
class Trial:
    """A token that is shown for something.

    Attributes:
        shown: Its text.
    """

    site: Site
    grant: Grant
    state: State
    shown: str
    turn: Turn

    @property
    def is_good(self) -> bool:
        """Whether there is such a token."""
        return self.state == "good"

    def lets(self, operation: str) -> bool:
        """Whether the table lets it be done."""
        return self.is_good and table.expected(operation, self.turn, self.grant)

    def __str__(self) -> str:
        bounds = [f"{name} {getattr(self.grant, name)}" for name in ("platforms", "spaces", "people")]
        rights = f"{self.state} {self.grant.role}, {', '.join(bounds)}, direct {self.grant.direct}"
        seat = f"{self.turn.user_key!r} of {self.turn.platform!r} in {self.turn.place}"
        return f"{rights}, reads {self.grant.reads}; {seat}"


Try = Callable[[Trial], Awaitable[tuple[str, bool, Use]]]
"""Does something by a door; returns what, whether it has to be let, and what came of it."""


async def grants(bench: Bench, name: str) -> Outcome:
    """Show random tokens in random turns for random things, by every door that takes tokens; each is a case."""
    world, outcome = World(bench, name), Outcome(cases=TRIED_A_WORLD)
    site = await _settle(bench, world)
    old = await world.rows()
    for _ in range(TRIED_A_WORLD):
        trial = await _trial(site)
        door = world.dice.choice([*_DOORS])
        operation, is_due, use = await _DOORS[door](trial)
        outcome.doors[door] += 1
        new = await world.rows()
        description = f"{door}: {operation} with {trial}"
        complaints = [f"{description} was let"] if not is_due and not use.is_refused else []
        complaints += [f"{description} changed something"] if not is_due and new != old else []
        complaints += [f"{description} told what was said alone"] if _leaks(trial, use, is_due=is_due) else []
        outcome.failed += complaints[:1]
        if is_due:
            outcome.control(not use.is_refused, f"{description} was refused: {use.told[:120]}")
        old = new
    return outcome


def _leaks(trial: Trial, use: Use, *, is_due: bool) -> bool:
    """Whether it tells what somebody said alone, to others than them or an operator who may read."""
    may_be_told = trial.grant.role == "operator" or trial.turn.direct
    for user, secret in trial.site.secrets.items():
        if shows(use.told, secret) and not (is_due and may_be_told and trial.turn.user_key == user):
            return trial.grant.role != "operator" or not is_due
    return False


async def _settle(bench: Bench, world: World) -> Site:
    secrets: dict[str, str] = {}
    notes: list[int] = []
    for user in world.users[:2]:
        home, alone = world.seat(user), world.seat(user, direct=True)
        secrets[home.user_key] = world.word()
        await world.speak(home)
        notes.append(number_of(await world.call(home, "remember", content=world.word())))
        notes.append(number_of(await world.call(alone, "remember", content=secrets[home.user_key])))
    platform, name = world.platform, str(world.users[0])
    owner = await bench.host.look(lambda tx: tx.owners.find("person", platform, name))
    inside = bench.entrances()
    return Site(world, inside.web, inside.memory, (notes[0], notes[1]), secrets, owner or 0)


async def _trial(site: Site) -> Trial:
    world, dice = site.world, site.world.dice
    grant = _grant(world)
    state = dice.choice(_STATES)
    lasts = timedelta(minutes=1) if state == "over" else None
    token, secret = await site.memory.apply(add_token, grant, lasts)
    if state == "revoked":
        headers = {"authorization": f"Bearer {secret}"}
        await site.web.send("GET", "/v1/me/privacy", headers=headers)  # it is known to the server
        await site.memory.apply(revoke_token, token.grant.token)
    elif state == "over":
        if world.bench.clock is not None:
            await world.bench.clock.wait(timedelta(minutes=2))
    elif state == "never made":
        secret = f"zgadka_{token.grant.token}_{'A' * 43}"
    user, platform = dice.choice(world.users[:2]), world.platform if dice.random() < 0.85 else "another"
    space = dice.choice(world.spaces[:2])
    seat = world.seat(user, space)
    if dice.random() < 0.45:
        seat = world.seat(user, str(user), str(user), direct=True)
    return Trial(
        site, replace(grant, token=token.grant.token), state, secret, replace(world.turn(seat), platform=platform)
    )


def _grant(world: World) -> Grant:
    """A random token's grant; most are for the platform that there is."""
    dice = world.dice
    while True:
        role: TokenRole = dice.choice(("service", "service", "person", "operator"))
        platforms = (world.platform,) if dice.random() < 0.8 else ("another",)
        people = tuple(dice.sample([str(user) for user in world.users[:2]], dice.choice((0, 0, 1))))
        bound: dict[str, Any] = {"platforms": platforms, "people": people}
        if role == "operator":
            bound = {"reads": dice.random() < 0.5}
        elif role == "service":
            bound["spaces"] = tuple(dice.sample(world.spaces[:2], dice.choice((0, 0, 1))))
            bound["direct"] = dice.random() < 0.6
        try:
            return Grant(token=0, role=role, **bound)
        except InvalidInput:
            continue


# The library


async def _by_library(trial: Trial) -> tuple[str, bool, Use]:
    operations = table.operations(trial.site.memory, trial.site.notes[0])
    name = trial.site.world.dice.choice([*operations])
    is_refused = await table.is_refused(operations[name], trial.turn, trial.grant)
    return name, table.expected(name, trial.turn, trial.grant), Use(is_refused, "")


# REST


@dataclass(frozen=True)
class Route:
    """A route of the REST API.

    Attributes:
        operation: As the table calls it; empty: it is for a role.
        needs: Whom it is for; `person`: for all who act for people.
    """

    method: str
    path: str
    operation: str = ""
    needs: Literal["person", "service", "operator", "reader"] = "person"
    body: Mapping[str, Any] | None = None


_TOOLS: Mapping[str, Mapping[str, Any]] = {
    "remember": {"content": "likes tea"},
    "recall": {"query": "tea"},
    "forget": {"query": "tea"},
    "create_long_term_memory": {"memory_content": "a rule", "scope": "server_wide"},
    "create_episode": {"topic": "tea", "summary": "It was good.", "importance": 0.5},
}
"""Tools with arguments that they take; a tool without them says so once it was let."""

ROUTES: tuple[Route, ...] = (
    *(
        Route("POST", f"/v1/tools/{tool.name}", tool.name, body={"args": _TOOLS.get(tool.name, {})})
        for tool in REGISTRY
    ),
    Route("POST", "/v1/calls", "recall", body={"calls": [{"tool": "recall", "args": {"query": "tea"}}]}),
    Route("POST", "/v1/finished", "take_finished", body={}),
    Route("POST", "/v1/messages", "record", body={"text": "hi"}),
    Route("POST", "/v1/messages/observe", "observe", body={"text": "hi"}),
    Route("DELETE", "/v1/messages/none", "unrecord"),
    Route("GET", "/v1/messages", "recent"),
    Route("POST", "/v1/messages/search", "search_messages", body={"query": "tea"}),
    Route("POST", "/v1/context", "build_context", body={"query": "tea"}),
    Route("GET", "/v1/memories", "list_memories"),
    Route("GET", "/v1/memories/{note}/history", "history"),
    Route("GET", "/v1/memories/{note}/sources", "why"),
    Route("POST", "/v1/memories/{note}/undo", "undo", body={}),
    Route("POST", "/v1/memories/{note}/share", "share", body={}),
    Route("POST", "/v1/memories/{note}/share", "unshare", body={"everywhere": False}),
    Route("GET", "/v1/me/privacy", "privacy"),
    Route("PUT", "/v1/me/privacy", "raise_privacy", body={"level": "partial"}),
    Route("PUT", "/v1/me/privacy", "lower_privacy", body={"level": "minimal"}),
    Route("GET", "/v1/me/export", "export"),
    Route("POST", "/v1/me/erase", "erase", body={"confirm": "{user}"}),
    Route("POST", "/v1/me/link", "make_link", body={}),
    Route("GET", "/v1/me/questions", "questions"),
    Route("POST", "/v1/me/questions/none", "answer_question", body={"save": True}),
    Route("GET", "/v1/me/consents", "consents"),
    Route("POST", "/v1/me/consents/404", "answer_consent", body={"agrees": True}),
    Route("GET", "/v1/me/mutes", "mute"),
    Route("PUT", "/v1/me/mutes/404", "mute", body={"muted": True}),
    Route("PUT", "/v1/members", needs="service", body={"platform": "{platform}", "space": "{space}", "user": "{user}"}),
    Route("PUT", "/v1/readers", needs="service", body={"platform": "{platform}", "space": "{space}", "readers": {}}),
    Route("PUT", "/v1/titles", needs="service", body={"platform": "{platform}", "space": "{space}", "chats": []}),
    Route("POST", "/v1/reminders", needs="service", body={"platform": "{platform}"}),
    Route("GET", "/v1/tasks", needs="operator"),
    Route("POST", "/v1/tasks/retry", needs="operator"),
    Route("POST", "/v1/tasks/run", needs="operator"),
    Route("POST", "/v1/tasks/404/retry", needs="operator"),
    Route("DELETE", "/v1/tasks/404", needs="operator"),
    Route("GET", "/v1/stats", needs="operator"),
    Route("GET", "/metrics", needs="operator"),
    Route("GET", "/v1/rollout", needs="reader"),
    Route("POST", "/v1/rollout/chats", needs="reader", body={"platform": "another", "chat": "none", "arm": None}),
    Route("GET", "/v1/inventory?limit=5", needs="reader"),
    Route("GET", "/v1/inventory/{note}/history", needs="reader"),
    Route("POST", "/v1/inventory/999999/undo", needs="reader"),
    Route("POST", "/v1/import", needs="reader"),
)
"""But for streams (`events`), and for `export`, `backup`, `doctor` and `tidy`, which read all of a database."""


async def _by_rest(trial: Trial) -> tuple[str, bool, Use]:
    turn, site, dice = trial.turn, trial.site, trial.site.world.dice
    own = ("operator", "reader") if trial.grant.role == "operator" else ("person", "service")
    fitting = [route for route in ROUTES if route.needs in own]
    groups = (fitting, [route for route in fitting if "/tools/" not in route.path], ROUTES)
    route = dice.choice(dice.choice(groups))
    names = {"{user}": turn.user_key, "{platform}": turn.platform, "{space}": turn.space}
    body = {name: names.get(str(value), value) for name, value in (route.body or {}).items()}
    headers = {"authorization": f"Bearer {trial.shown}", "content-type": "application/json"}
    headers |= in_headers(replace(turn, message=None)) if route.needs == "person" else {}
    path = route.path.replace("{note}", str(site.world.dice.choice(site.notes)))
    content = b"" if route.body is None else json.dumps(body).encode()
    reply = await site.web.send(route.method, path, content, headers)
    return f"{route.method} {path} ({route.operation})", _may_use(trial, route), _use(reply)


def _may_use(trial: Trial, route: Route) -> bool:
    grant, turn = trial.grant, trial.turn
    match route.needs:
        case "person":
            return grant.role != "operator" and trial.lets(route.operation)
        case "operator":
            return trial.is_good and grant.role == "operator"
        case "reader":
            return trial.is_good and grant.role == "operator" and grant.reads
        case "service" if not trial.is_good or grant.role != "service" or turn.platform not in grant.platforms:
            return False
        case "service" if route.path == "/v1/reminders":
            return not grant.spaces and not grant.people and grant.direct
        case "service":
            is_theirs = turn.user_key in grant.people if route.path == "/v1/members" else False
            return (not grant.people or is_theirs) and (not grant.spaces or turn.space in grant.spaces)


def _use(reply: Reply) -> Use:
    try:
        answer: Any = json.loads(reply.text)
    except ValueError:
        answer = None
    status = str(cast("dict[str, Any]", answer).get("status", "")) if isinstance(answer, dict) else ""
    is_problem = reply.status == 401 or (reply.status == 403 and status == "403")
    return Use(is_problem or status.endswith("not_allowed"), reply.text)


# MCP

_RESOURCES = {
    "memory://profile": "generate_profile_summary",
    "memory://context": "build_context",
    "memory://recent": "recall",
    "memory://search/tea": "recall",
}


async def _by_mcp(trial: Trial) -> tuple[str, bool, Use]:
    dice, headers = trial.site.world.dice, {"authorization": f"Bearer {trial.shown}"}
    turn = replace(trial.turn, turn=None, message=None)
    if dice.random() < 0.3:
        uri = dice.choice([*_RESOURCES])
        operation, method, params = _RESOURCES[uri], "resources/read", {"uri": uri}
    else:
        operation = dice.choice([*_TOOLS, "recall_facts", "clear_profile", "recall_relationships"])
        method, params = "tools/call", {"name": operation, "arguments": _TOOLS.get(operation, {})}
    body, sent = mcp_request(method, params)
    reply = await trial.site.web.send("POST", "/mcp", json.dumps(body).encode(), headers | sent | in_headers(turn))
    use = _use(reply)
    is_refused = use.is_refused or '"error"' in reply.text or 'not_allowed\\"' in reply.text
    return f"{method} {operation}", trial.lets(operation), Use(is_refused, reply.text)


# The dashboard

_PAGES: tuple[tuple[str, str], ...] = (
    ("GET", "/dashboard/boards/usage"),
    ("GET", "/dashboard/memories"),
    ("GET", "/dashboard/memories/{note}"),
    ("GET", "/dashboard/people"),
    ("GET", "/dashboard/people/{owner}"),
    ("GET", "/dashboard/questions"),
    ("POST", "/dashboard/memories/{note}/undo"),
    ("POST", "/dashboard/people/{owner}/link"),
    ("POST", "/dashboard/people/{owner}/unlink"),
    ("POST", "/dashboard/people/{owner}/questions/404"),
    ("GET", "/dashboard/people/{owner}/erase"),
)


async def _by_dashboard(trial: Trial) -> tuple[str, bool, Use]:
    site = trial.site
    method, path = site.world.dice.choice(_PAGES)
    path = path.replace("{note}", str(site.world.dice.choice(site.notes))).replace("{owner}", str(site.owner))
    cookie = (await site.web.form("/dashboard/login", token=trial.shown)).cookie
    if method == "GET":
        reply = await site.web.send("GET", path, headers={"cookie": cookie})
    else:
        form = (await site.web.send("GET", "/dashboard/boards/usage", headers={"cookie": cookie})).text
        form_token = form.partition('name="form_token" value="')[2].partition('"')[0]
        reply = await site.web.form(path, cookie, form_token=form_token, what="consent", answer="yes", mark="1")
    goes_to = reply.headers.get("location", "").partition("?")[0]
    is_sent_away = reply.status == 303 and goes_to.endswith("/login")
    may_read = trial.grant.reads or "/boards/" in path
    is_due = trial.is_good and trial.grant.role == "operator" and may_read
    return f"{method} {path}", is_due, Use(is_sent_away or reply.status in (401, 403), reply.text)


# Commands of a bot


async def _by_command(trial: Trial) -> tuple[str, bool, Use]:
    """In a group, a bot does nothing of what is for a person alone."""
    site, dice = trial.site, trial.site.world.dice
    turn = replace(trial.turn, platform=site.world.platform)
    name, argument = dice.choice(
        (
            *(("history", str(site.notes[0])), ("share", str(site.notes[0])), ("unshare", str(site.notes[0]))),
            *(("export", ""), ("erase", ""), ("mute", "404"), ("unmute", "404"), ("privacy", "minimal")),
        )
    )
    bot = BotEntrance(site.memory, dice)
    await bot.command(turn, name, argument)
    texts = "\n".join(bot.platform.texts)
    refusals = (text("en", "bots.alone", command=name), text("en", "bots.export_direct"))
    return f"/{name}", turn.direct, Use(texts in refusals, texts)


_DOORS: dict[str, Try] = {
    "library": _by_library,
    "rest": _by_rest,
    "mcp": _by_mcp,
    "dashboard": _by_dashboard,
    "bot": _by_command,
}
