"""Policy: who may change what is about others and what belongs to a space, and what a person has to agree to first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from zgadka.evals.safety.answering import ANSWER_DOORS, answers_by
from zgadka.evals.safety.attempts import ATTEMPTS, Attempt, Rule, Site
from zgadka.evals.safety.bench import Bench
from zgadka.evals.safety.doors import SETTINGS
from zgadka.evals.safety.entrances import ENTRANCES, TALKS, through
from zgadka.evals.safety.worlds import Outcome, World
from zgadka.model.people import Proposal

POLICIES_TRIED = 6
"""Attempts in one space with its policies, but for what cannot be tried there; each is a case."""


async def policy(bench: Bench, name: str) -> Outcome:
    """Try to change what is another's in ways that the policies forbid, ask about, or allow; each attempt is a case."""
    dice = World(bench, name).dice
    policies: dict[str, Any] = {
        "others_may_change": dice.choice(("never", "ask", "allow")),
        "communal_may_change": dice.choice(("everyone", "admins", "admins", "nobody")),
    }
    outcome, settings = Outcome(cases=0), replace(SETTINGS, **policies)
    async with bench.beside(settings) as (beside, _):
        world = World(beside, name)
        is_admin, inside = dice.random() < 0.2, beside.entrances(settings) if bench.name == "python" else None
        door, answers = dice.choice(ENTRANCES), dice.choice(ANSWER_DOORS)
        anna, boris = (world.seat(user) for user in world.users[:2])
        site = Site(
            world,
            anna,
            boris,
            may_make_rules=policies["communal_may_change"] != "nobody",
            is_admin=is_admin,
            entrance=through(beside.door) if inside is None else inside.open(door, dice, "agrees"),
            talks=inside is not None and door in TALKS,
            has_lean="mcp" not in (bench.name if inside is None else door),
            answer=answers_by(answers, world, beside.host, inside),
        )
        await _people(site)
        for make in world.dice.sample(ATTEMPTS, k=POLICIES_TRIED):
            if (attempt := await make(site)) is None:
                continue
            outcome.cases += 1
            outcome.doors[bench.name if inside is None else door] += 1
            asker = "an administrator" if is_admin else "a member"
            complaint = f"{make.__name__.strip('_')} by {asker} with {policies}, {door}, answered by {answers}"
            if failed := await _try(site, attempt, policies, outcome, complaint):
                outcome.failed.append(failed)
    return outcome


async def _people(site: Site) -> None:
    for seat, role in ((site.anna, "owner"), (site.boris, "admin" if site.is_admin else "member")):
        await site.world.speak(seat)
        await site.world.report(seat, site.world.word().capitalize(), role)


async def _try(site: Site, attempt: Attempt, policies: dict[str, Any], outcome: Outcome, complaint: str) -> str:
    """What went wrong; empty: nothing."""
    old = await site.rows()
    await attempt.act()
    is_changed = await site.rows() != old
    asks = policies["others_may_change"] == "ask" and attempt.rule in ("others", "both")
    if not _may(attempt.rule, policies, is_admin=site.is_admin):
        return f"{complaint} changed something" if is_changed else ""
    if asks:
        return f"{complaint} did not wait for consent" if is_changed else await _ask(site, attempt, outcome, complaint)
    if attempt.is_own_word:  # hearsay never changes it, whatever the policy
        return f"{complaint} changed what a person said of themselves" if is_changed else ""
    outcome.control(is_changed, f"{complaint} changed nothing")
    return ""


def _may(rule: Rule, policies: dict[str, Any], *, is_admin: bool) -> bool:
    of_others = policies["others_may_change"] != "never" or rule == "space"
    allows_space = {"everyone": True, "admins": is_admin, "nobody": False}[policies["communal_may_change"]]
    of_space = allows_space or rule == "others"
    return rule != "only theirs" and of_others and of_space


async def _ask(site: Site, attempt: Attempt, outcome: Outcome, complaint: str) -> str:
    """Answer the question in one of the ways that agree to nothing, and then to what was shown."""
    host, world, anna = site.world.bench.host, site.world, site.anna
    questions = await host.consents(world.turn(anna))
    outcome.control(len(questions) == 1, f"{complaint} asked {len(questions)} questions")
    for question in questions:
        proposal = await host.proposal(question.id, world.turn(anna))
        outcome.control(proposal is not None and bool(proposal.changes), f"{complaint} proposed nothing")
        if proposal is None:
            continue
        way = world.dice.choice(_ANSWERS)
        if await way(site, attempt, proposal):
            return f"{complaint}: {way.__name__} counted as consent"
        if (shown := await host.proposal(question.id, world.turn(anna))) is not None:
            old = await site.rows()
            await site.answer(question.id, anna, agrees=True, mark=shown.mark)
            outcome.control(await site.rows() != old, f"{complaint} did nothing once it was agreed to")
    return ""


Answer = Callable[[Site, Attempt, Proposal], Awaitable[bool]]
"""Answers a question by no consent to what is shown; returns whether something was changed."""


async def _refused(site: Site, _: Attempt, proposal: Proposal) -> bool:
    old = await site.rows()
    await site.answer(proposal.consent, site.anna, agrees=False)
    await site.answer(proposal.consent, site.anna, agrees=True, mark=proposal.mark)
    return await site.rows() != old


async def _unseen(site: Site, _: Attempt, proposal: Proposal) -> bool:
    old = await site.rows()
    await site.answer(proposal.consent, site.anna, agrees=True)
    return await site.rows() != old


async def _by_the_asker(site: Site, _: Attempt, proposal: Proposal) -> bool:
    old = await site.rows()
    await site.answer(proposal.consent, site.boris, agrees=True, mark=proposal.mark)
    return await site.rows() != old


async def _to_something_else(site: Site, attempt: Attempt, proposal: Proposal) -> bool:
    """What would be changed is another thing by now than what was shown."""
    if attempt.change is not None:
        await attempt.change()
    old, mark = await site.rows(), proposal.mark + (attempt.change is None)
    await site.answer(proposal.consent, site.anna, agrees=True, mark=mark)
    return await site.rows() != old


_ANSWERS: tuple[Answer, ...] = (_refused, _unseen, _by_the_asker, _to_something_else, _to_something_else)
