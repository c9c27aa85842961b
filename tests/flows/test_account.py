"""Every door, every kind, every level, every audience: where a victim's word may appear, by DESIGN 2a alone.

One world has a word of the victim's in every kind of thing (`account.py`). All doors are tried in it, from all seats,
and each kind is a test of its own. A door that nobody listed here fails: say of it what it shows, or why nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import cache
from typing import Any, get_args

import httpx
import pytest
from account import (
    BOB,
    CANARIES,
    FULL,
    MEMBER_ALONE,
    MINIMAL,
    NEVER_DIRECT,
    PARTIAL,
    TOPIC,
    VICTIM,
    Audience,
    Seat,
    World,
    make_world,
    may_be_listed,
    may_be_told,
)
from long_run import is_long
from mcp import Client

from zgadka import Memory, PrivacyLevel, ZgadkaError
from zgadka.mcp import views
from zgadka.mcp.server import build_server
from zgadka.model.memory import Kind
from zgadka.model.people import Role
from zgadka.model.token import Grant
from zgadka.ops.personal_links import make_link
from zgadka.ops.tokens import add_token
from zgadka.tools.registry import REGISTRY
from zgadka.web.app import _ROUTERS, build_app

Arguments = Callable[[World], list[dict[str, Any]]]

ABOUT = {"user_id": VICTIM}
QUERY = f"What about {TOPIC}?"


def _fact(world: World, kind: str = "fact", **more: Any) -> dict[str, Any]:
    return ABOUT | {"fact_type": "personal", "fact_key": "job", "fact_id": world.ids[kind]} | more


READING: dict[str, Arguments] = {
    "recall": lambda _: [
        {"query": QUERY, "limit": 50},
        {"query": QUERY, "limit": 50, **ABOUT},
        {"query": QUERY, "limit": 50, "known_on": "2026-03-01"},
    ],
    "recall_facts": lambda _: [
        ABOUT | {"limit": 50},
        ABOUT | {"limit": 50, "known_on": "2026-03-01"},
        ABOUT | {"limit": 50, "as_of": "2026-03-01"},
        ABOUT | {"limit": 50, "search_query": QUERY},
    ],
    "recall_facts_global": lambda _: [ABOUT | {"limit": 50}],
    "find": lambda _: [{"query": QUERY, "limit": 50}, {"query": QUERY, "limit": 50, **ABOUT}],
    "recall_episodes": lambda _: [{"limit": 50}, {"query": QUERY, "participant": VICTIM}],
    "recall_relationships": lambda _: [ABOUT | {"depth": 3}, {"user_id": BOB}],
    "suggest_merge": lambda _: [ABOUT],
    "generate_profile_summary": lambda _: [ABOUT | {"max_words": 2000}],
}
DELETING: dict[str, Arguments] = {
    "forget": lambda world: [{"memory_id": id_} for id_ in world.ids.values()],
    "forget_fact": lambda world: [_fact(world, reason="outdated"), ABOUT | _JOB | {"reason": "outdated"}],
    "update_long_term_memory": lambda world: [
        {"memory_id": id_, "memory_content": "", **target}
        for id_ in world.ids.values()
        for target in ({}, {"target_user": str(VICTIM)})
    ],
    "archive_episode": lambda world: [{"episode_id": world.ids["episode"], "reason": "over"}],
    "clear_profile": lambda _: [ABOUT | {"reason": "asked"}],
}
_JOB = {"fact_type": "personal", "fact_key": "job"}
CHANGING: dict[str, Arguments] = {
    "keep": lambda _: [{"content": f"{TOPIC} is fun"}, ABOUT | {"fact_key": "job", "content": "plumber"}],
    "change": lambda world: [
        {"memory_id": id_, "content": "baker", "because": because, **about}
        for id_ in world.ids.values()
        for because in ("changed", "wrong")
        for about in ({}, ABOUT)
    ],
    "remember": lambda _: [{"content": f"{TOPIC} is fun"}],
    "remember_fact": lambda _: [ABOUT | _JOB | {"fact_value": "plumber", "confidence": 0.5}],
    "remember_facts": lambda _: [
        {"facts": [ABOUT | _JOB | {"fact_value": value, "confidence": 0.5} for value in ("plumber", "miller")]}
    ],
    "update_fact": lambda world: [
        _fact(world, new_value="baker", confidence=0.9, change_reason="correction"),
        ABOUT | _JOB | {"new_value": "smith", "confidence": 0.9, "change_reason": "update"},
    ],
    "update_fact_with_temporal": lambda _: [
        ABOUT | _JOB | {"fact_value": "cook", "confidence": 0.9, "valid_from": "2020-01-01", "previous_value": "x"}
    ],
    "merge_facts": lambda world: [
        ABOUT | {"fact_ids": [world.ids["fact"], world.ids["answer"]], "merged_value": "x", "merged_confidence": 0.9}
    ],
    "create_episode": lambda _: [{"topic": "Talk", "summary": "x", "importance": 0.5, "message_count": 50}],
    "update_episode": lambda world: [{"episode_id": world.ids["episode"], "additional_summary": "x"}],
    "mark_important": lambda _: [{"importance_level": "high", "message_count": 20}],
    "create_long_term_memory": lambda _: [
        {"memory_content": f"{TOPIC} x", "scope": "target_user", "target_user": str(VICTIM)}
    ],
    "remember_relationship": lambda _: [ABOUT | {"related_user_id": BOB, "relationship": "mentor"}],
}
TOOLS = READING | DELETING | CHANGING

Look = Callable[[World, Seat], Awaitable[object]]


async def _each(world: World, act: Callable[[int], Awaitable[object]]) -> list[object]:
    return [await act(id_) for id_ in world.ids.values()]


async def _shown(look: Look, world: World, seat: Seat) -> str:
    """What a method answers; a refusal says why, and tells nothing either."""
    try:
        return str(await look(world, seat))
    except ZgadkaError as error:
        return str(error)


METHODS: dict[str, Look | str] = {
    "build_context": lambda world, seat: world.memory.build_context(world.turn(seat.turn), 6000, query=QUERY),
    "search_messages": lambda world, seat: world.memory.search_messages(QUERY, world.turn(seat.turn), 50),
    "recent": lambda world, seat: world.memory.recent(world.turn(seat.turn), 100),
    "consents": lambda world, seat: world.memory.consents(world.turn(seat.turn)),
    "questions": lambda world, seat: world.memory.questions(world.turn(seat.turn)),
    "history": lambda world, seat: _each(world, lambda id_: world.memory.history(id_, world.turn(seat.turn))),
    "why": lambda world, seat: _each(world, lambda id_: world.memory.why(id_, world.turn(seat.turn))),
    "export": lambda world, seat: world.memory.export(world.turn(seat.turn)),
    "take_finished": lambda world, seat: world.memory.take_finished(world.turn(seat.turn)),
    "proposal": lambda world, seat: world.memory.proposal(1, world.turn(seat.turn)),
    "due_reminders": lambda world, _: world.memory.due_reminders(),
    "privacy": lambda world, seat: world.memory.privacy(world.turn(seat.turn)),
    "arm": lambda world, seat: world.memory.arm(world.turn(seat.turn)),
    "call_all": lambda world, seat: world.memory.call_all([("recall", {"query": QUERY})], world.turn(seat.turn)),
    "muted": lambda world, seat: world.memory.muted(world.turn(seat.turn)),
    "proposals": lambda world, seat: world.memory.proposals(world.turn(seat.turn)),
    "plain_question": lambda world, seat: world.memory.plain_question("yes", world.turn(seat.turn)),
    "undo": lambda world, seat: _each(world, lambda id_: world.memory.undo(id_, world.turn(seat.turn))),
    "share": lambda world, seat: _each(
        world, lambda id_: world.memory.share(id_, world.turn(seat.turn), everywhere=False)
    ),
    "answer_consent": lambda world, seat: world.memory.answer_consent(1, False, world.turn(seat.turn)),
    "answer_question": lambda world, seat: world.memory.answer_question("1", world.turn(seat.turn), save=False),
    "subscribe": "every world listens, and `notices` is a door of its own",
    "call": "by every tool",
    "observe": "its message is the speaker's; what the extractor is given is a door of its own",
    "observe_past": "as `observe`",
    "take_operator_changes": "for the bots, who tell each person of their own; `notices` is a door of its own",
    "infer": "shows what was inferred from the text that it is given",
    "embed": "what the embedder is given is a door of its own",
    "tasks": "for operators; see the queue's own test",
} | dict.fromkeys(
    [
        "answer_erasure",
        "answered",
        "apply",
        "ask_to_erase",
        "backup",
        "choose_arm",
        "close",
        "drop_task",
        "erase",
        "forget_erased",
        "honour_wishes",
        "erase_space",
        "move_space",
        "mute",
        "permit",
        "report_readers",
        "report_removal",
        "report_titles",
        "hand_over",
        "import_lines",
        "inspect",
        "look",
        "look_with_meaning",
        "make_episodes",
        "mend",
        "record",
        "report_member",
        "resume",
        "retry_task",
        "rollout",
        "run_tasks",
        "set_privacy",
        "tidy",
        "unrecord",
    ],
    "answers with numbers, or does what its caller brings",
)
CHANGES = {"undo", "share", "answer_consent", "answer_question"}
LISTING = {"export", "history", "why", "undo", "share", "notices", "own page", "memories/{id}", *DELETING}
"""Doors that list for the person alone what is theirs, or are for deleting or changing it by hand."""

BY_LINK = {"/me", "/me/memories/{number}", "/me/export"}
ROUTES_READ = {
    "GET /v1/messages", "POST /v1/messages/search", "POST /v1/context", "GET /v1/memories",
    "GET /v1/memories/{memory_id}/history", "GET /v1/memories/{memory_id}/sources",
    "GET /v1/me/privacy", "GET /v1/me/export", "GET /v1/me/questions",
    "GET /v1/me/mutes", "GET /v1/me/consents", "POST /v1/finished", "GET /v1/tools", "POST /v1/tools/{name}",
    "POST /v1/calls",
    "POST /v1/reminders", "GET /v1/events",
}  # fmt: skip
ROUTES_WITHOUT_READING = {
    "GET /metrics", "GET /health/live", "GET /health/ready", "GET /v1/tasks", "GET /v1/stats", "GET /v1/doctor",
    "GET /v1/rollout", "GET /v1/inventory", "GET /v1/inventory/{memory_id}/history", "GET /v1/export", "GET /v1/backup",
    "GET /", "GET /dashboard", "GET /dashboard/login", "GET /dashboard/boards/{name}", "GET /dashboard/memories",
    "GET /dashboard/memories/chosen", "GET /dashboard/places", "GET /dashboard/places/{number}",
    "GET /dashboard/activity", "GET /dashboard/model", "GET /dashboard/growth",
    "GET /dashboard/memories/{number}", "GET /dashboard/people", "GET /dashboard/people/{number}",
    "GET /dashboard/questions",
}  # fmt: skip
"""What an operator opens who may not read what people are remembered by: none of the victim's words is in it."""
ROUTES_OF_PERSON = {f"GET {path}" for path in BY_LINK} | {"GET /me/{link}"}
ROUTES_THAT_CHANGE = {
    "POST /v1/messages", "POST /v1/messages/observe", "DELETE /v1/messages/{message}",
    "POST /v1/memories/{memory_id}/undo", "POST /v1/memories/{memory_id}/share", "PUT /v1/me/privacy",
    "POST /v1/me/erase", "POST /v1/me/link", "POST /v1/me/questions/{question}", "POST /v1/me/consents/{number}",
    "PUT /v1/members", "PUT /v1/readers", "PUT /v1/titles",
    "POST /v1/tasks/run", "POST /v1/tasks/retry", "POST /v1/tasks/{task_id}/retry",
    "DELETE /v1/tasks/{task_id}", "POST /v1/tidy", "POST /v1/inventory/{memory_id}/undo", "POST /v1/rollout/chats",
    "POST /v1/import", "POST /dashboard/login", "POST /dashboard/logout", "POST /dashboard/memories/{number}/undo",
    "POST /dashboard/memories/chosen", "POST /dashboard/memories/forget", "POST /dashboard/memories/unforget",
    "POST /dashboard/memories/undo", "POST /dashboard/memories/export", "POST /dashboard/memories/duplicates",
    "POST /dashboard/memories/merge", "POST /dashboard/memories/unmerge",
    "POST /dashboard/people/{number}/link", "POST /dashboard/people/{number}/unlink", "POST /me/{link}",
    "GET,POST /dashboard/people/{number}/erase",
    "POST /dashboard/people/{number}/questions/{question}", "POST /me/memories/{number}",
    "POST /me/memories/delete", "POST /me/memories/undo", "POST /me/questions/{question}",
    "PUT /v1/me/mutes/{user}", "POST /me/privacy", "GET,POST /me/erase", "GET /dashboard/static/{name}",
}  # fmt: skip
"""What they do is a method of `Memory` above, or for the person's own session; files that never change."""

RESOURCES = {"memory://profile", "memory://recent", "memory://context"}
TEMPLATES = {"memory://memories/{memory_id}", "memory://search/{query}"}
PROMPTS = {"memory_guidance", "about_me", "save_conversation"}


def test_every_tool_is_a_door() -> None:
    assert {tool.name for tool in REGISTRY} == set(TOOLS)


def test_every_public_method_is_a_door() -> None:
    public = {name for name in dir(Memory) if not name.startswith("_")}
    assert public - set(TOOLS) == set(METHODS)


def test_every_route_is_a_door() -> None:
    there: list[Any] = [route for router in _ROUTERS for route in router.routes]
    routes = {f"{','.join(sorted(route.methods))} {route.path}" for route in there}
    assert routes == ROUTES_READ | ROUTES_WITHOUT_READING | ROUTES_OF_PERSON | ROUTES_THAT_CHANGE


def test_everything_that_mcp_shows_is_a_door() -> None:
    assert {resource["uri"] for resource in views.RESOURCES} == RESOURCES
    assert {template["uri_template"] for template in views.TEMPLATES} == TEMPLATES
    assert {prompt.name for prompt in views.PROMPTS} == PROMPTS


def test_every_kind_is_told_of() -> None:
    assert set(get_args(Kind)) <= set(CANARIES)
    assert get_args(Role) == ("user", "assistant")  # a message, and an answer of the bot


# What was seen: by door and seat, the text that was shown.

Seen = dict[tuple[str, str], str]


@cache
def looked(level: PrivacyLevel, audience: Audience) -> tuple[World, Seen]:
    return asyncio.run(_look(level, audience))


async def _look(level: PrivacyLevel, audience: Audience) -> tuple[World, Seen]:
    world = make_world(level, audience)
    seen: defaultdict[tuple[str, str], str] = defaultdict(str)
    logged: list[str] = []
    handler = logging.Handler(logging.DEBUG)
    handler.emit = lambda record: logged.append(record.getMessage())
    root = logging.getLogger()
    root.addHandler(handler)
    logger, before = logging.getLogger("zgadka"), logging.getLogger("zgadka").level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        async with world.memory:
            await world.plant()
            app = build_app(world.memory, hosts={"localhost"})
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                await _look_by_library(world, seen)
                await _look_by_mcp(world, seen)
                await _look_by_rest(world, seen, client)
                await _look_as_operator(world, seen, client)
                await _look_at_own_page(world, seen, client)
                await _speak_on(world, seen)
                await _change(world, seen)
                await _metrics(world, seen, client)
    finally:
        root.removeHandler(handler)
        logger.removeHandler(handler)
        logger.setLevel(before)
    seen["log lines", ""] = "\n".join(logged)
    return world, seen


_BUDGET = 300


async def _look_by_library(world: World, seen: Seen) -> None:
    for seat in world.seats:
        for tool, arguments in READING.items():
            for given in arguments(world):
                seen[tool, seat.name] += (await world.call(seat.turn, tool, **given)).json()
                cut = await world.memory.call(tool, given, world.turn(seat.turn), budget_tokens=_BUDGET)
                seen[f"{tool} within a budget", seat.name] += cut.json()
        seen["forget", seat.name] += (await world.call(seat.turn, "forget", query=QUERY)).json()
        for name, look in METHODS.items():
            if not isinstance(look, str) and name not in CHANGES:
                seen[name, seat.name] += await _shown(look, world, seat)


async def _look_by_mcp(world: World, seen: Seen) -> None:
    for seat in world.seats:
        server = build_server(world.memory, lambda _, seat=seat: seat.turn, tier="full")
        async with Client(server, mode="2026-07-28") as client:
            uris = [*RESOURCES, f"memory://search/{TOPIC}", *(f"memory://memories/{id_}" for id_ in world.ids.values())]
            for uri in uris:
                door = "memories/{id}" if "/memories/" in uri else uri
                with contextlib.suppress(Exception):  # nothing is there for this seat
                    seen[f"mcp {door}", seat.name] += str(await client.read_resource(uri))
            for name in PROMPTS:
                seen[f"mcp prompt {name}", seat.name] += str(await client.get_prompt(name, {}))
            seen["mcp tools", seat.name] += str(await client.list_tools())
            listed = {tool.name for tool in (await client.list_tools()).tools}
            for tool in READING.keys() & listed if is_long() else ("recall_facts",):
                for given in READING[tool](world):
                    seen[f"mcp {tool}", seat.name] += str(await client.call_tool(tool, given))


async def _look_by_rest(world: World, seen: Seen, client: httpx.AsyncClient) -> None:
    _, token = await world.memory.apply(add_token, Grant(token=0, role="service", platforms=("discord",)))
    for seat in (seat.at_rest for seat in world.seats):
        for route in sorted(ROUTES_READ - {"GET /v1/events"}):
            for tool in READING if "{name}" in route else ("",):
                for id_ in world.ids.values() if "{memory_id}" in route else (0,):
                    seen[route, seat.name] += await _ask(world, client, token, seat, route, tool, id_)


async def _ask(world: World, client: httpx.AsyncClient, token: str, seat: Seat, route: str, tool: str, id_: int) -> str:
    method, path = route.split()
    turn = world.turn(seat.turn).as_json()
    headers = {"authorization": f"Bearer {token}"}
    path = path.format(name=tool, memory_id=id_)
    if method == "GET":
        names = ("platform", "space", "chat", "user", "direct", "audience")
        headers |= {f"zgadka-{name}": str(turn[name]).lower() for name in names if turn.get(name)}
        if path != "/v1/tools":
            headers["zgadka-space"], headers["zgadka-chat"] = turn["space"], turn["chat"]
        return (await client.get(path, headers=headers)).text
    body: dict[str, Any] = {"turn": turn}
    match path:
        case "/v1/messages/search" | "/v1/context":
            body["query"] = QUERY
        case "/v1/calls":
            body["calls"] = [{"tool": "recall", "args": {"query": QUERY, "limit": 50}}]
        case "/v1/reminders":
            body = {"platform": "discord"}
        case "/v1/finished":
            pass
        case _:
            body |= {"args": READING[tool](world)[-1], "budget_tokens": 1000}
    return (await client.post(path, headers=headers, json=body)).text


async def _look_as_operator(world: World, seen: Seen, client: httpx.AsyncClient) -> None:
    """As one who may not read what people are remembered by."""
    _, token = await world.memory.apply(add_token, Grant(token=0, role="operator"))
    await client.post("/dashboard/login", data={"token": token})
    for route in sorted(ROUTES_WITHOUT_READING):
        path = route.split()[1]
        for name in ("usage", "health", "quality") if "{name}" in path else ("",):
            for id_ in world.ids.values() if "{" in path and not name else (1,):
                address = re.sub(r"\{\w+\}", name or str(id_), path)
                headers = {} if path.startswith("/dashboard") else {"authorization": f"Bearer {token}"}
                seen[f"operator {route}", ""] += (await client.get(address, headers=headers)).text
    client.cookies.clear()


async def _look_at_own_page(world: World, seen: Seen, client: httpx.AsyncClient) -> None:
    for user, seat in ((BOB, "a member alone"), (VICTIM, "the victim alone")):
        link = await world.memory.apply(make_link, "discord", str(user), timedelta(hours=1))
        await client.post(f"/me/{link}", data={"open": "page"})
        for id_ in world.ids.values():
            seen["own page", seat] += (await client.get(f"/me/memories/{id_}")).text
        for path in ("/me", "/me/export"):
            seen["own page", seat] += (await client.get(path)).text
        client.cookies.clear()


async def _speak_on(world: World, seen: Seen) -> None:
    """What leaves for the embedder and the extractor since the level was chosen."""
    for seat in (world.seats[-1], world.seats[-2]):
        await world.memory.observe("I live in Spokenolak.", world.turn(seat.turn))
        await world.memory.search_messages("Queriedolak?", world.turn(seat.turn))
        await world.memory.build_context(world.turn(seat.turn, text="Queriedolak?"))
        await world.call(seat.turn, "recall", query="Queriedolak?")
        await world.memory.embed()
    seen["embedder", ""] = "\n".join(world.embedder.texts)
    seen["extractor", ""] = "\n".join(world.extracted)


async def _change(world: World, seen: Seen) -> None:
    """What changes and deletes, from all seats, least of all first; nothing is confirmed."""
    for seat in world.seats:
        for tool, arguments in (DELETING | CHANGING).items():
            for given in arguments(world):
                world.notices.clear()
                seen[tool, seat.name] += (await world.call(seat.turn, tool, **given)).json()
                seen["notices", seat.name] += "\n".join(world.notices)
        for name in sorted(CHANGES):
            look = METHODS[name]
            assert not isinstance(look, str)
            seen[name, seat.name] += await _shown(look, world, seat)


async def _metrics(world: World, seen: Seen, client: httpx.AsyncClient) -> None:
    _, token = await world.memory.apply(add_token, Grant(token=0, role="operator"))
    seen["metrics", ""] = (await client.get("/metrics", headers={"authorization": f"Bearer {token}"})).text


# What must be so.

LEVELS = [MINIMAL, PARTIAL, FULL]
AUDIENCES: list[Audience] = ["direct", "group", "space"]
BRIEF = {(MINIMAL, "group"), (PARTIAL, "space"), (FULL, "direct")}
WORLDS = [(level, audience) for level in LEVELS for audience in AUDIENCES]
cells = pytest.mark.parametrize(
    ("kind", "level", "audience"),
    [
        pytest.param(kind, level, audience, id=f"{kind}-{level.name}-{audience}",
                     marks=() if (level, audience) in BRIEF else pytest.mark.long)
        for level, audience in WORLDS
        for kind in CANARIES
        if audience != "direct" or kind not in NEVER_DIRECT
    ],
)  # fmt: skip

SHOWN: dict[tuple[str, str], set[str]] = {
    ("recall", "the victim here"): {"fact", "note", "note of the space", "note that names"},
    ("recall", "a member here"): {"note of the space", "note that names"},
    ("recall_facts", "a member here"): {"fact", "answer"},
    ("recall_facts", "the victim here"): {"fact", "answer"},
    ("recall_facts within a budget", "a member here"): {"fact"},
    ("why", "the victim here"): {"fact", "note", "relation"},
    ("recall_episodes", "a member here"): {"episode"},
    ("recall_relationships", "a member here"): {"relation"},
    ("generate_profile_summary", "a member here"): {"fact", "note"},
    ("recent", "a member here"): {"message", "answer"},
    ("search_messages", "a member here"): {"message", "answer"},
    ("build_context", "the victim here"): {"fact", "note"},
    ("recall", "the victim alone"): {"fact", "note", "note of the space"},
    ("mcp recall_facts", "the victim here"): {"fact"},
}
"""What has to be shown where it may be told, if it was told there: a memory that hides everything is no good."""
LISTED = {
    # Who is named by id may hide what others wrote, and has no right to read it by that.
    ("export", "the victim alone"): set(CANARIES) - {"note that names"},
    ("own page", "the victim alone"): set(CANARIES) - {"note that names"},
    ("own page", "a member alone"): {"note that names"},
    ("why", "the victim alone"): {"fact", "note", "episode", "relation"},
    ("forget", "the victim alone"): {"fact", "note", "episode", "message"},
}


@cells
def test_nobody_is_told_what_they_may_not_be_told(kind: str, level: PrivacyLevel, audience: Audience) -> None:
    world, seen = looked(level, audience)
    leaks: list[str] = []
    for (door, name), text in seen.items():
        seat = next((seat for seat in (*world.seats, MEMBER_ALONE) if seat.name == name), None)
        if seat is None or CANARIES[kind] not in text.lower():
            continue
        rest = seat.at_rest if "/v1/" in door else seat
        lists = door in LISTING or door.removeprefix("mcp ") in LISTING or "/v1/" in door or door == "own page"
        may = may_be_listed if lists else may_be_told
        if not may(rest, kind, level, audience):
            leaks.append(f"{door} tells {name}")
    assert leaks == []


@cells
def test_neither_operators_nor_logs_nor_metrics_tell_it(kind: str, level: PrivacyLevel, audience: Audience) -> None:
    _, seen = looked(level, audience)
    doors = [door for door, seat in seen if not seat and door not in ("embedder", "extractor")]
    assert {"log lines", "metrics", "operator GET /v1/inventory"} <= set(doors)
    assert [door for door in doors if CANARIES[kind] in seen[door, ""].lower()] == []


@cells
def test_what_is_of_somebody_at_full_leaves_for_no_embedder(kind: str, level: PrivacyLevel, audience: Audience) -> None:
    _, seen = looked(level, audience)
    if level is FULL:
        assert CANARIES[kind] not in seen["embedder", ""].lower()
    elif level is MINIMAL:
        assert CANARIES[kind] in seen["embedder", ""].lower(), "it has to be found by meaning"


@cells
def test_what_may_be_told_is_told(kind: str, level: PrivacyLevel, audience: Audience) -> None:
    world, seen = looked(level, audience)
    missing: list[str] = []
    for doors, may in ((SHOWN, may_be_told), (LISTED, may_be_listed)):
        for (door, name), kinds in doors.items():
            seat = next(seat for seat in (*world.seats, MEMBER_ALONE) if seat.name == name)
            came = seat.is_alone == (audience == "direct") or doors is LISTED
            is_due = kind in kinds and came
            if is_due and may(seat, kind, level, audience) and CANARIES[kind] not in seen[door, name].lower():
                missing.append(f"{door} does not tell {name}")
    assert missing == []


@pytest.mark.hurried
@pytest.mark.parametrize("way", ["forget", "clear_profile", "set_privacy", "erase"])
def test_a_queued_result_tells_nobody_what_is_gone(way: str) -> None:
    """The call waited for the writer; its result is taken after what it remembered was deleted, or hidden."""
    asyncio.run(_queued(way))


async def _queued(way: str) -> None:
    world = make_world(MINIMAL, "space", background=False, memory_tool_timeout_ms=50, calls_per_hour=0)
    alone, here = world.seats[-1].turn, world.seats[-2].turn
    async with world.memory:
        await world.memory.record("user", "Hello!", world.turn(here))
        gate, begun = threading.Event(), threading.Event()
        held = asyncio.create_task(world.memory.apply(lambda _: (begun.set(), gate.wait(120))))
        await asyncio.to_thread(begun.wait, 120)
        threading.Timer(0.4, gate.set).start()
        queued = await world.call(here, "remember", content=f"{TOPIC} {CANARIES['note']}")
        await held
        assert queued.status == "queued", queued
        await world.memory.run_tasks()
        for seat in world.seats[:-2]:
            assert await world.memory.take_finished(world.turn(seat.turn)) == []
        recalled = await world.call(here, "recall", query=TOPIC)
        assert CANARIES["note"] in recalled.json()
        match way:
            case "set_privacy":
                await world.memory.set_privacy(FULL, world.turn(alone))
            case "erase":
                await world.memory.erase(world.turn(alone))
            case "forget":
                for _ in range(2):
                    await world.call(here, way, memory_id=recalled["memories"][0]["memory_id"])
            case _:
                for _ in range(2):
                    await world.call(here, way, user_id=VICTIM, reason="asked")
        assert CANARIES["note"] not in str(await world.memory.take_finished(world.turn(here)))


worlds = pytest.mark.parametrize(
    ("level", "audience"),
    [
        pytest.param(*world, id=f"{world[0].name}-{world[1]}", marks=() if world in BRIEF else pytest.mark.long)
        for world in WORLDS
    ],
)


@worlds
def test_what_somebody_at_full_says_and_asks_is_given_to_no_model(level: PrivacyLevel, audience: Audience) -> None:
    _, seen = looked(level, audience)
    embedded, extracted = seen["embedder", ""], seen["extractor", ""]
    assert ("Spokenolak" in extracted) is (level is MINIMAL), "where nothing is written, nothing is inferred"
    assert ("Spokenolak" in embedded) is (level is not FULL)
    assert ("Queriedolak" in embedded) is (level is not FULL)
