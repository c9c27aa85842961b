"""What one person tries with what is another's, or the space's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from zgadka.evals.safety.answering import Answers
from zgadka.evals.safety.deleting import number_of
from zgadka.evals.safety.entrances import Entrance
from zgadka.evals.safety.worlds import World
from zgadka.model.turn import Turn

Rule = Literal["others", "space", "both", "only theirs"]
"""Which policy says whether it may be done, for what is about others or the space's; or that only its maker may."""

Rows = dict[int, tuple[object, ...]]


@dataclass(frozen=True)
class Attempt:
    """What one person tries with what is another's.

    Attributes:
        change: How the person whose it is changes it after they were asked; None: there is nothing yet.
        is_own_word: Whether it changes what a person said of themselves, for which they would have to agree.
    """

    rule: Rule
    act: Callable[[], Awaitable[object]]
    change: Callable[[], Awaitable[object]] | None = None
    is_own_word: bool = False


@dataclass(frozen=True)
class Site:
    """A space with policies: Anna, its owner, whose things are tried, and Boris, who tries.

    Attributes:
        may_make_rules: Whether Anna may make notes of the space.
        is_admin: Whether Boris is an administrator.
        entrance: By which Boris comes in.
        talks: Whether he writes messages there, which are remembered as such.
        has_lean: Whether the lean tools are offered there; MCP's full tier has none of them.
        answer: Takes answers to questions for consent.
    """

    world: World
    anna: Turn
    boris: Turn
    may_make_rules: bool
    is_admin: bool
    entrance: Entrance
    talks: bool
    has_lean: bool
    answer: Answers

    async def call(self, tool: str, **arguments: Any) -> int:
        """Make something of Anna's; returns its id."""
        return number_of(await self.world.call(self.anna, tool, **arguments))

    def attempt(self, rule: Rule, tool: str, **arguments: Any) -> Attempt:
        """A call of Boris's."""
        return Attempt(rule, lambda: self.call_as(self.boris, tool, **arguments))

    async def call_as(self, seat: Turn, tool: str, **arguments: Any) -> None:
        """Call a tool for one of them; for Boris, through the door."""
        if seat is not self.boris:
            await self.world.call(seat, tool, **arguments)
        else:
            turn = self.world.turn(seat, text="yes" if self.talks else None)
            await self.entrance.request(turn, [(tool, arguments)])

    async def rows(self) -> Rows:
        """What there is of both and of the space."""
        rows = await self.world.rows()
        return {number: (row.text, row.archived, row.people, row.withheld) for number, row in rows.items()}


Make = Callable[[Site], Awaitable["Attempt | None"]]
"""Makes what is tried; None where it cannot be in this world."""


def _hobby(site: Site) -> dict[str, Any]:
    return {"user_id": site.anna.user_number, "fact_type": "personal", "fact_key": "hobby"}


async def _own_fact(site: Site) -> int:
    return number_of(await site.world.fact(site.anna, "hobby", site.world.word()))


def _correct(site: Site, number: int, seat: Turn) -> Callable[[], Awaitable[object]]:
    change = {"new_value": site.world.word(), "confidence": 0.9, "change_reason": "correction"}
    return lambda: site.call_as(seat, "update_fact", **_hobby(site), **change, fact_id=number)


async def _new_fact(site: Site) -> Attempt:
    return site.attempt("others", "remember_fact", **_hobby(site), fact_value=site.world.word(), confidence=0.9)


async def _other_fact(site: Site) -> Attempt:
    number = await _own_fact(site)
    corrects, change = (_correct(site, number, seat) for seat in (site.boris, site.anna))
    return Attempt("others", corrects, change=change, is_own_word=True)


async def _new_fact_in_few_words(site: Site) -> Attempt | None:
    if not site.has_lean:
        return None
    kept = {"user_id": site.anna.user_number, "fact_key": "hobby", "content": site.world.word()}
    return site.attempt("others", "keep", **kept)


async def _other_fact_in_few_words(site: Site) -> Attempt | None:
    if not site.has_lean:
        return None
    number = await _own_fact(site)
    changed = {"memory_id": number, "user_id": site.anna.user_number, "content": site.world.word(), "because": "wrong"}
    changes = site.attempt("others", "change", **changed)
    return replace(changes, change=_correct(site, number, site.anna), is_own_word=True)


async def _fact_with_time(site: Site) -> Attempt:
    fact = {"fact_value": site.world.word(), "confidence": 0.9, "valid_from": "2020-01-01"}
    return site.attempt("others", "update_fact_with_temporal", **_hobby(site), **fact)


async def _no_fact(site: Site) -> Attempt:
    number = await _own_fact(site)
    hides = site.attempt("others", "forget_fact", **_hobby(site), fact_id=number, reason="outdated")
    return replace(hides, change=_correct(site, number, site.anna))


async def _merged_facts(site: Site) -> Attempt:
    ids = [await _own_fact(site), await _own_fact(site)]
    merged = {"fact_ids": ids, "merged_value": site.world.word(), "merged_confidence": 0.9}
    merges = site.attempt("others", "merge_facts", user_id=site.anna.user_number, **merged)
    return replace(merges, change=_correct(site, ids[0], site.anna), is_own_word=True)


def _target(site: Site) -> dict[str, Any]:
    return {"target_user": site.anna.user_key}


async def _new_note(site: Site) -> Attempt:
    note = {"memory_content": site.world.word(), "scope": "target_user"}
    return site.attempt("others", "create_long_term_memory", **note, **_target(site))


async def _other_note(site: Site) -> Attempt:
    number = await site.call("remember", content=site.world.word())
    named = {"memory_id": number, **_target(site)}
    changes = site.attempt("others", "update_long_term_memory", **named, memory_content=site.world.word())
    own = named | {"memory_content": site.world.word()}
    return replace(changes, change=lambda: site.world.call(site.anna, "update_long_term_memory", **own))


async def _relation(site: Site) -> Attempt:
    tie = {"user_id": site.anna.user_number, "related_user_id": site.boris.user_number}
    return site.attempt("others", "remember_relationship", **tie, relationship=site.world.word())


def _talk(site: Site) -> dict[str, Any]:
    return {"topic": site.world.word(), "summary": "It was good.", "importance": 0.5, "message_count": 1}


async def _new_episode(site: Site) -> Attempt:
    await site.world.speak(site.anna)
    taken = {"message_count": 1 + site.talks}  # his own message comes after hers
    return site.attempt("others", "create_episode", **_talk(site) | taken)


async def _own_episode(site: Site) -> int:
    await site.world.speak(site.anna)
    return await site.call("create_episode", **_talk(site))


def _add_to(site: Site, number: int, seat: Turn) -> Callable[[], Awaitable[object]]:
    return lambda: site.call_as(seat, "update_episode", episode_id=number, additional_summary=site.world.word())


async def _other_episode(site: Site) -> Attempt:
    number = await _own_episode(site)
    return Attempt("others", _add_to(site, number, site.boris), change=_add_to(site, number, site.anna))


async def _no_episode(site: Site) -> Attempt:
    number = await _own_episode(site)
    hides = site.attempt("others", "archive_episode", episode_id=number, reason="over")
    return replace(hides, change=_add_to(site, number, site.anna))


# What belongs to the space.


async def _own_rule(site: Site) -> int:
    return await site.call("create_long_term_memory", memory_content=site.world.word(), scope="server_wide")


def _rewrite(site: Site, number: int, seat: Turn) -> Callable[[], Awaitable[object]]:
    text = site.world.word()
    return lambda: site.call_as(seat, "update_long_term_memory", memory_id=number, memory_content=text)


async def _new_rule(site: Site) -> Attempt:
    return site.attempt("space", "create_long_term_memory", memory_content=site.world.word(), scope="server_wide")


async def _rule_about(site: Site) -> Attempt | None:
    """A note of the space that names a person by id is about them."""
    if not site.anna.user_key.isdecimal():
        return None
    text = f"<@{site.anna.user_key}> keeps {site.world.word()}"
    return site.attempt("both", "create_long_term_memory", memory_content=text, scope="server_wide")


async def _other_rule(site: Site) -> Attempt | None:
    number = await _own_rule(site) if site.may_make_rules else 0
    return Attempt("space", _rewrite(site, number, site.boris)) if number else None


async def _no_rule(site: Site) -> Attempt | None:
    if not site.may_make_rules:
        return None
    return site.attempt("space", "update_long_term_memory", memory_id=await _own_rule(site), memory_content="")


async def _forgotten_rule(site: Site) -> Attempt | None:
    if not site.may_make_rules:
        return None
    number = await _own_rule(site)

    async def forget() -> None:
        for _ in range(2):
            await site.call_as(site.boris, "forget", memory_id=number)

    return Attempt("space", forget)


# What is taken back.


def _undo(site: Site, number: int) -> Callable[[], Awaitable[object]]:
    return lambda: site.world.bench.host.undo(number, site.world.turn(site.boris))


async def _undone_rule(site: Site) -> Attempt | None:
    """Another changed it."""
    if not site.may_make_rules:
        return None
    number = await _own_rule(site)
    await _rewrite(site, number, site.anna)()
    return Attempt("only theirs", _undo(site, number))


async def _undone_episode(site: Site) -> Attempt:
    """Another changed it."""
    number = await _own_episode(site)
    await _add_to(site, number, site.anna)()
    return Attempt("only theirs", _undo(site, number))


async def _undone_fact(site: Site) -> Attempt:
    """Another changed what is theirs."""
    number = await _own_fact(site)
    await _correct(site, number, site.anna)()
    return Attempt("only theirs", _undo(site, number))


async def _undone_by_former_admin(site: Site) -> Attempt | None:
    """Their own change, from when they were an administrator."""
    if not site.may_make_rules or site.is_admin:
        return None
    number = await _own_rule(site)
    await site.world.report(site.boris, "Boris", "admin")
    await _rewrite(site, number, site.boris)()
    await site.world.report(site.boris, "Boris", "member")
    return Attempt("space", _undo(site, number))


ATTEMPTS: tuple[Make, ...] = (
    _new_fact,
    _other_fact,
    _new_fact_in_few_words,
    _other_fact_in_few_words,
    _fact_with_time,
    _no_fact,
    _merged_facts,
    _new_note,
    _other_note,
    _relation,
    _new_episode,
    _other_episode,
    _no_episode,
    _new_rule,
    _rule_about,
    _other_rule,
    _no_rule,
    _forgotten_rule,
    _undone_rule,
    _undone_episode,
    _undone_fact,
    _undone_by_former_admin,
)
