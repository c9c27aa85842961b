"""Where an operation may be done: every operation, turn and token, against the table of DESIGN.md, 2a."""

from __future__ import annotations

import inspect
import itertools
import random
from dataclasses import replace
from pathlib import Path

import pytest
from long_run import cases

import zgadka
from zgadka import InvalidInput, Member, Memory, PrivacyLevel, Turn
from zgadka.errors import NotAllowed
from zgadka.evals.safety.table import ALONE, OUTSIDE, expected, is_refused, operations
from zgadka.model.token import ANYBODY, SHELL, Grant
from zgadka.ops.allow import FOR_PERSON, WHERE, allow, in_words, operator_trail
from zgadka.tools.registry import REGISTRY

pytestmark = pytest.mark.asyncio

GROUP = Turn(platform="telegram", space="456", chat="456", user=123, turn="t")
DIRECT = replace(GROUP, space="123", chat="123", direct=True)
TURNS = {
    "group": GROUP,
    "direct": DIRECT,
    "thread": replace(GROUP, thread="th"),
    "audience": replace(GROUP, audience="mods"),
    "elsewhere": replace(GROUP, space="457", chat="457"),
}
SERVICE = Grant(token=1, role="service", platforms=("telegram",))
GRANTS = {
    "host": None,
    "service": SERVICE,
    "bound": replace(SERVICE, spaces=("456",), direct=False),
    "bound, direct": replace(SERVICE, spaces=("456",)),
    "bound elsewhere": replace(SERVICE, spaces=("999",), direct=False),
    "no direct": replace(SERVICE, direct=False),
    "of another": replace(SERVICE, people=("124",)),
    "discord": replace(SERVICE, platforms=("discord",)),
    "person": Grant(token=2, role="person", platforms=("telegram",), people=("123",)),
    "another person": Grant(token=2, role="person", platforms=("telegram",), people=("124",)),
    "link": Grant(token=0, role="person", label="link", platforms=("telegram",), people=("123",)),
    "operator": Grant(token=3, role="operator"),
    "reader": Grant(token=3, role="operator", reads=True),
    "anybody": ANYBODY,
}

POOLS = {"platforms": ("telegram", "discord"), "spaces": ("456", "457"), "people": ("123", "124")}


async def test_every_operation_turn_and_token_is_as_the_table_says():
    for operation, turn, grant in itertools.product(WHERE, (*TURNS.values(), None), GRANTS.values()):
        refusal = allow(operation, turn, grant)
        assert (refusal is None) == expected(operation, turn, grant), (operation, turn, grant, refusal)
        assert refusal is None or (refusal.status == "not_allowed" and len(refusal.reason) > 15)


async def test_any_token_in_any_turn_is_as_the_table_says():
    dice = random.Random(17)
    count = 0
    while count < cases(2000, long=20_000):
        names = {name: tuple(dice.sample(pool, dice.choice((0, 1)))) for name, pool in POOLS.items()}
        role = dice.choice(("service", "person", "operator"))
        try:
            grant = Grant(
                token=1,
                role=role,
                direct=role != "service" or dice.random() < 0.5,
                reads=dice.random() < 0.3,
                platforms=names["platforms"],
                spaces=names["spaces"],
                people=names["people"],
            )
        except InvalidInput:
            continue
        place = dice.choice(("456", "457", "123"))
        platform, user = dice.choice(POOLS["platforms"]), dice.choice(POOLS["people"])
        turn = Turn(platform=platform, space=place, chat=place, user=user, direct=dice.random() < 0.5)
        operation = dice.choice(sorted(WHERE))
        assert (allow(operation, turn, grant) is None) == expected(operation, turn, grant), (operation, turn, grant)
        count += 1


async def test_a_token_that_is_bound_to_a_space_does_nothing_elsewhere_or_that_is_for_the_person_alone_or_an_operator():
    bound = [grant for grant in GRANTS.values() if grant is not None and grant.spaces]
    for grant, turn, operation in itertools.product(bound, (*TURNS.values(), None), WHERE):
        if turn is None or turn.place != ("space", "456") or operation in ALONE | OUTSIDE:
            assert allow(operation, turn, grant) is not None


async def test_every_tool_is_in_the_table_and_an_unknown_operation_is_nobodys():
    assert {tool.name for tool in REGISTRY} <= WHERE.keys()
    assert FOR_PERSON.keys() | set(FOR_PERSON.values()) <= WHERE.keys()
    for grant in filter(None, GRANTS.values()):
        assert allow("read_minds", DIRECT, grant) is not None


async def test_every_operation_of_the_table_is_asked_somewhere():
    sources = [path.read_text() for path in Path(zgadka.__file__).parent.rglob("*.py") if path.name != "allow.py"]
    asked_by = {*FOR_PERSON.values(), *(tool.name for tool in REGISTRY), "remember_facts"}  # a tool to come
    assert [name for name in WHERE.keys() - asked_by if not any(f'"{name}"' in text for text in sources)] == []


# The process itself, its work and its operator; what reads or erases outside a turn asks by `permit`.
WITHOUT_PERSON = {
    "close",
    "run_tasks",
    "tasks",
    "retry_task",
    "drop_task",
    "report_member",
    "infer",
    "observe_past",
    "resume",
    "make_episodes",
    "choose_arm",
    "rollout",
    "answered",
    "due_reminders",
    "take_operator_changes",
    "subscribe",
    "import_lines",
    "look",
    "apply",
    "inspect",
    "mend",
    "backup",
    "embed",
    "tidy",
    "forget_erased",
    "honour_wishes",
    "report_readers",
    "report_titles",
    "move_space",
    "erase_space",
    "report_removal",
}
ASKED_ELSEWHERE = {
    "permit",
    "call",
    "call_all",
    "set_privacy",
    "arm",
    "hand_over",
    "proposals",
    "muted",
    "look_with_meaning",
}
"""What asks for the operation that it is given, or is the host's own."""


async def test_every_public_method_of_a_turn_is_in_the_table_and_takes_a_grant():
    methods = {
        name: inspect.signature(method) for name, method in vars(Memory).items()
        if not name.startswith("_") and callable(method)
    }  # fmt: skip
    tools = {tool.name for tool in REGISTRY}
    for name, signature in methods.items():
        if name in tools:  # each is `call`
            continue
        assert ("turn" in signature.parameters) == (name not in WITHOUT_PERSON) or name == "answered", name
        if name not in WITHOUT_PERSON | ASKED_ELSEWHERE:
            assert name in WHERE, f"{name} is not in the table"
            assert "grant" in signature.parameters, f"{name} takes no grant"


@pytest.mark.parametrize("name", GRANTS)
async def test_every_method_asks_the_table(memory, person, name):
    note = await person.note("likes tea")
    for operation, call in operations(memory, note).items():
        for turn in TURNS.values():
            refused = await is_refused(call, turn, GRANTS[name])
            assert refused != expected(operation, turn, GRANTS[name]), (operation, turn)


@pytest.mark.partitioned
async def test_a_bound_token_erases_and_shares_nothing(memory, person):
    note = await person.note("likes tea")
    for grant, turn in itertools.product((GRANTS["bound"], GRANTS["bound, direct"]), (GROUP, DIRECT)):
        with pytest.raises(NotAllowed):
            await memory.erase(turn, grant=grant)
        with pytest.raises(NotAllowed):
            await memory.share(note, turn, grant=grant)
    assert await person.found("tea") == ["likes tea"]


async def test_a_level_raised_by_a_bound_token_holds_in_its_space_alone_and_the_stricter_counts(memory, people):
    anna, boris = people(123), people(7)
    await anna.fact("hobby", "chess")
    await anna.at(space="457", chat="457").fact("hobby", "go")
    await memory.report_member("telegram", "457", Member(user="123", number=123))
    there = anna.at(space="457", chat="457")
    await memory.set_privacy(PrivacyLevel.FULL, anna.turn(), grant=GRANTS["bound"])
    assert await memory.privacy(anna.turn()) is PrivacyLevel.FULL
    assert await memory.privacy(there.turn()) is PrivacyLevel.MINIMAL
    assert (await boris.call("recall_facts", user_id=123)).status == "privacy_restricted"
    assert (await anna.call("remember", content="x")).status == "privacy_restricted"
    assert await memory.record("user", "hello", anna.turn()) is None
    assert await there.values() == ["go"]
    await memory.set_privacy(PrivacyLevel.PARTIAL, anna.at(direct=True).turn())
    assert await memory.privacy(anna.turn()) is PrivacyLevel.FULL
    assert await memory.privacy(there.turn()) is PrivacyLevel.PARTIAL
    with pytest.raises(NotAllowed):
        await memory.set_privacy(PrivacyLevel.MINIMAL, anna.turn(), grant=GRANTS["bound"])
    await memory.set_privacy(PrivacyLevel.MINIMAL, anna.at(direct=True).turn(), grant=GRANTS["person"])
    assert await memory.privacy(anna.turn()) is PrivacyLevel.MINIMAL
    assert await anna.values() == ["chess"]


async def test_an_unbound_service_raises_a_level_anywhere_and_lowers_it_where_the_person_is_alone(memory, person):
    await memory.set_privacy(PrivacyLevel.PARTIAL, GROUP, grant=SERVICE)
    assert await memory.privacy(TURNS["elsewhere"]) is PrivacyLevel.PARTIAL
    with pytest.raises(NotAllowed):
        await memory.set_privacy(PrivacyLevel.MINIMAL, GROUP, grant=SERVICE)
    await memory.set_privacy(PrivacyLevel.MINIMAL, DIRECT, grant=SERVICE)
    assert await memory.privacy(GROUP) is PrivacyLevel.MINIMAL


async def test_what_an_operator_reads_or_erases_outside_a_turn_leaves_a_line(memory, person, clock):
    await person.note("likes tea")
    with pytest.raises(NotAllowed, match="--reads"):
        await memory.export(DIRECT, grant=GRANTS["operator"])
    with pytest.raises(NotAllowed):
        await memory.erase(DIRECT, grant=GRANTS["operator"])
    assert await memory.look(operator_trail) == []
    before = await memory.look(lambda tx: tx.maintenance.counts())
    for _ in range(2):
        await memory.export(DIRECT, grant=GRANTS["reader"])
    await memory.permit("read_anything", None, SHELL, about="list")
    await memory.erase(DIRECT, grant=GRANTS["reader"])
    lines = await memory.look(operator_trail)
    assert [(line.actor, line.action) for line in lines] == [
        ("token 3", "read"),
        ("shell", "read"),
        ("token 3", "erased"),
    ]
    assert lines[0].reason.startswith("export, person ")
    assert "123" not in " ".join(line.reason for line in lines)
    after = await memory.look(lambda tx: tx.maintenance.counts())
    assert after["spaces"] <= before["spaces"]


@pytest.mark.parametrize(
    ("grant", "words"),
    [
        (Grant(token=1, role="operator"), "health, queue and charts; may not read memories or messages"),
        (Grant(token=1, role="operator", reads=True), "health, queue and charts; may read, undo and erase"),
        (
            Grant(token=1, role="service", platforms=("telegram",), direct=False),
            "of telegram in every group: tools and lists",
        ),
        (
            Grant(token=1, role="service", platforms=("discord",), spaces=("1", "2"), people=("7",), direct=False),
            "acts for 7 of discord in 1 and 2 alone: tools and lists of that place",
        ),
    ],
)
async def test_a_grant_says_in_words_what_it_can_do(grant, words):
    assert words in in_words(grant)
