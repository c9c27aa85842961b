"""Leaks: a word that is planted somewhere is looked for everywhere by those who may not see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from zgadka.evals.safety.bench import Bench
from zgadka.evals.safety.deleting import number_of
from zgadka.evals.safety.looking import Probe, as_text
from zgadka.evals.safety.worlds import Outcome, World, place_of, shows
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn

_TOPICS = ("the key is {}", "in the garden grows {}", "ключ від саду: {}", "likes {}", "мій пароль {}", "works at {}")
_QUESTION = "What is known about the key, the garden, ключ саду, пароль, where do they work, and what do they like?"
_PROBES_A_SEAT = 5
SEATS = 6
"""Places from which the words of one world are looked for; each is a case."""


@dataclass(frozen=True)
class Secret:
    """One planted word, and whose and where it is.

    Attributes:
        kind: `personal`, `opened` (to every space), `communal`, `episode`, `said` in a chat, `observed` (said, and
            perhaps remembered), `tie` between two people, or a member's `name`.
        live: Whether it is still remembered; what was forgotten or deleted is shown to nobody but its owner.
        memory: The memory's id; 0 for what is said or a name.
    """

    word: str
    description: str
    kind: str
    owner: Turn
    live: bool = True
    memory: int = 0
    partner: Turn | None = None


class Secrets(list[Secret]):
    """What is planted, and by the rules alone, who may see it."""

    def __init__(self, levels: Mapping[int | str, PrivacyLevel]) -> None:
        super().__init__()
        self.levels = levels

    def may_see(self, seat: Turn, secret: Secret, probe: Probe | None = None) -> bool:
        """Whether somebody may be shown a secret, by this probe, or by any."""
        owner = secret.owner
        is_owner, is_here = owner.user == seat.user, place_of(owner) == place_of(seat)
        is_end = is_owner or (secret.partner is not None and secret.partner.user == seat.user)
        if probe is not None and probe.lists and seat.direct and secret.kind == "name":
            return is_owner or self._is_tied(seat, owner)
        if probe is not None and (probe.exports or probe.name == "list") and is_end:
            return self._may_list(seat, secret)
        if probe is not None and probe.deletes and is_end and seat.direct:  # alone, at every level and of every place
            if secret.kind in ("tie", "said", "episode"):
                return secret.kind == "said" or owner.persona in (0, seat.persona)
            return Secrets({}).may_see(seat, secret)
        match secret.kind:
            case "observed":
                return any(self.may_see(seat, replace(secret, kind=kind)) for kind in ("said", "personal"))
            case "personal" | "opened":
                if self._hides(owner, PrivacyLevel.PARTIAL) or (not secret.live and not is_owner):
                    return False
                seen = is_here or secret.kind == "opened" or (is_owner and seat.direct)
                return seen and owner.persona in (0, seat.persona) and (is_owner or not seat.direct)
            case "communal" | "episode":
                return is_here and owner.persona == seat.persona
            case "said":
                said_here = is_here and (owner.chat, owner.persona) == (seat.chat, seat.persona)
                return said_here and not self._hides(owner, PrivacyLevel.FULL)
            case "tie":
                ends = [owner, *([secret.partner] if secret.partner else [])]
                hidden = any(self._hides(end, PrivacyLevel.PARTIAL) for end in ends)
                return is_here and owner.persona == seat.persona and not hidden
            case _:  # a member's name
                return is_owner or is_here

    def _may_list(self, seat: Turn, secret: Secret) -> bool:
        """Whether somebody may list a secret of theirs: alone all, in a space what is there and hidden from nobody.

        A relation is the other person's as well: at no place where they do not want to be remembered.
        """
        people = [end for end in (secret.owner, secret.partner) if end is not None and end.user != seat.user]
        if any(self._hides(person, PrivacyLevel.PARTIAL) for person in people):
            return False
        is_here = place_of(secret.owner) == place_of(seat) or secret.kind == "opened"
        is_said = secret.kind in ("said", "observed", "communal")
        is_hidden = self._hides(seat, PrivacyLevel.FULL if is_said else PrivacyLevel.PARTIAL)
        return seat.direct or secret.kind == "name" or (is_here and secret.live and not is_hidden)

    def _is_tied(self, seat: Turn, person: Turn) -> bool:
        """Whether a relation tells one of the other: its two people go by the names that its space knows them by."""
        return any(
            {secret.owner.user, secret.partner.user} == {seat.user, person.user}
            and place_of(secret.owner) == place_of(person)
            and not self._hides(person, PrivacyLevel.PARTIAL)
            for secret in self
            if secret.partner is not None
        )

    def _hides(self, owner: Turn, level: PrivacyLevel) -> bool:
        return self.levels.get(owner.user, PrivacyLevel.MINIMAL) >= level


async def people(bench: Bench, name: str) -> Outcome:
    """Look for one person's words as others do: a neighbour, somebody of another space, a stranger."""
    world = World(bench, name)
    anna, boris, clara = world.users
    persona = world.dice.choice((0, 0, 5))
    seats = [
        world.seat(boris, persona=persona),
        world.seat(boris, chat=world.chats[1]),
        world.seat(boris, space=world.spaces[1], persona=persona),
        world.seat(boris, persona=persona, direct=True),
        world.seat(clara, space=world.spaces[2], persona=persona),
        world.seat(clara, persona=6, direct=True),
    ]
    secrets = await _plant(world, persona)
    return await _look(world, secrets, world.seat(anna, persona=persona), seats)


async def chats(bench: Bench, name: str) -> Outcome:
    """Look for a person's words as that person, in other chats and spaces and as another persona."""
    world = World(bench, name)
    anna = world.users[0]
    persona = world.dice.choice((0, 5, 5))
    seats = [
        world.seat(anna, persona=persona),
        world.seat(anna, chat=world.chats[1], persona=persona),
        world.seat(anna, space=world.spaces[1], persona=persona),
        world.seat(anna, space=world.spaces[1], chat=world.chats[1]),
        world.seat(anna, persona=6),
        world.seat(anna, persona=6, direct=True),
    ]
    secrets = await _plant(world, persona)
    return await _look(world, secrets, world.seat(anna, persona=persona), seats)


async def _plant(world: World, persona: int) -> Secrets:
    """Have Anna and Boris leave words wherever words can be left."""
    anna, boris, _ = world.users
    home, direct = world.seat(anna, persona=persona), world.seat(anna, persona=persona, direct=True)
    next_door = world.seat(anna, space=world.spaces[1], chat=world.chats[1], persona=persona)
    neighbour = world.seat(boris, persona=persona)
    levels: dict[int | str, PrivacyLevel] = {}
    secrets, dice = Secrets(levels), world.dice
    for seat in (home, neighbour, world.seat(boris, space=world.spaces[1], persona=persona)):
        await world.speak(seat)
    if dice.random() < 0.5:
        await world.speak(next_door)
    places = (home, direct, next_door)
    for plant in dice.sample(_PLANTS, k=6):
        await plant(world, secrets, dice.choice(places))
    for seat in (home, direct):  # there is always something to find, and something to hide
        await _fact(world, secrets, seat)
    await _tie(world, secrets, home, neighbour)
    if dice.random() < 0.25:
        levels[anna] = dice.choice((PrivacyLevel.PARTIAL, PrivacyLevel.FULL))
        await world.bench.host.set_privacy(levels[anna], world.turn(direct))
    return secrets


async def _look(world: World, secrets: Secrets, home: Turn, seats: list[Turn]) -> Outcome:
    outcome = Outcome(cases=len(seats))
    for seat in seats:
        leaks: list[str] = []
        foreign = [secret.memory for secret in secrets if secret.memory and not secrets.may_see(seat, secret)]
        probes = _tools(world, seat, home, foreign)
        for tool, arguments in world.dice.sample(probes, k=min(_PROBES_A_SEAT, len(probes))):
            answer = await world.call(seat, tool, **arguments)
            leaks += _leaks(secrets, seat, Probe(tool, as_text(answer)))
            if tool == "recall_facts" and answer.get("total", 0) > _facts(secrets, seat):
                leaks.append(f"recall_facts counts {answer['total']} facts for {_who(seat)}")
        memories = world.dice.sample(foreign, k=min(2, len(foreign)))
        views: Mapping[str, str] = {}
        if world.dice.random() < 0.4:
            views = await world.bench.door.views(world.turn(seat), memories)
        for view, text in views.items():
            leaks += _leaks(secrets, seat, Probe(view, text))
        if leaks:
            outcome.failed.append("; ".join(leaks[:3]))
    recalled = as_text(await world.call(home, "recall", query=_QUESTION, limit=50))
    for secret in secrets:
        is_own = (
            secret.kind == "personal" and secret.memory and secret.live and place_of(secret.owner) == place_of(home)
        )
        if is_own and secrets.may_see(home, secret):
            outcome.control(shows(recalled, secret.word), f"{secret.description} was not recalled by its own owner")
    return outcome


def _leaks(secrets: Secrets, seat: Turn, probe: Probe) -> list[str]:
    return [
        f"{probe.name} shows {secret.description} of {_who(secret.owner)} to {_who(seat)}"
        for secret in secrets
        if shows(probe.text, secret.word) and not secrets.may_see(seat, secret, probe)
    ]


def _facts(secrets: Secrets, seat: Turn) -> int:
    """How many facts of Anna's may be counted here; one that has an excerpt is one."""
    return sum(
        secret.description in ("fact", "observed message") and secrets.may_see(seat, secret) for secret in secrets
    )


def _who(seat: Turn) -> str:
    return f"{seat.user!r} in {place_of(seat)}, chat {seat.chat!r}, persona {seat.persona}"


def _tools(world: World, seat: Turn, home: Turn, foreign: list[int]) -> list[tuple[str, dict[str, Any]]]:
    """Every call that may show something, about the other person, about oneself, and with ids one may not have."""
    victim = home.user_number
    about: list[dict[str, Any]] = [{"user_id": victim}, {"user_id": seat.user_number}]
    probes: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"query": _QUESTION, "limit": 50}),
        ("recall", {"query": "ключ", "limit": 50, "user_id": victim}),
        ("recall_episodes", {"limit": 50}),
        ("recall_episodes", {"query": _QUESTION, "participant": victim}),
        ("forget", {"query": _QUESTION}),
        ("forget", {"memory_id": 2**40}),
        ("create_episode", {"topic": "Talk", "summary": "They talked.", "importance": 0.5, "message_count": 50}),
        ("mark_important", {"importance_level": "high", "message_count": 20}),
        ("create_long_term_memory", {"memory_content": "x", "scope": "target_user", "target_user": home.user_key}),
    ]
    for person in about:
        probes += [
            ("recall_facts", person | {"limit": 50}),
            ("recall_facts", person | {"search_query": _QUESTION, "limit": 50}),
            ("recall_facts_global", person | {"limit": 50}),
            ("recall_relationships", person | {"depth": 3}),
            ("suggest_merge", person),
            ("generate_profile_summary", person | {"max_words": 2000}),
        ]
    fact: dict[str, Any] = {"user_id": victim, "fact_type": "personal", "fact_key": "hobby"}
    for number in foreign[:3]:
        change = {"fact_id": number, "new_value": "nothing", "confidence": 0.9, "change_reason": "update"}
        probes += [
            ("forget", {"memory_id": number}),
            ("update_fact", fact | change),
            ("forget_fact", fact | {"fact_id": number, "reason": "outdated"}),
            ("update_long_term_memory", {"memory_id": number, "memory_content": "nothing"}),
            ("update_episode", {"episode_id": number, "additional_summary": "nothing"}),
            ("archive_episode", {"episode_id": number}),
        ]
    if len(foreign) > 1:
        merged = {"fact_ids": foreign[:2], "merged_value": "nothing", "merged_confidence": 0.9}
        probes.append(("merge_facts", {"user_id": victim, **merged}))
    return probes


Plant = Callable[[World, Secrets, Turn], Any]


def _about(world: World, word: str) -> str:
    return world.dice.choice(_TOPICS).format(word)


async def _fact(world: World, secrets: Secrets, seat: Turn) -> None:
    word, excerpt = world.word(), world.word()
    result = await world.fact(seat, "hobby", _about(world, word), source_excerpt=_about(world, excerpt))
    secrets.append(Secret(word, "fact", "personal", seat, memory=number_of(result)))
    secrets.append(Secret(excerpt, "excerpt of a fact", "personal", seat))


async def _forgotten_fact(world: World, secrets: Secrets, seat: Turn) -> None:
    word = world.word()
    number = number_of(await world.fact(seat, "pet", _about(world, word)))
    named = {"user_id": seat.user_number, "fact_type": "personal", "fact_key": "pet", "fact_id": number}
    await world.call(seat, "forget_fact", **named, reason="outdated")
    secrets.append(Secret(word, "forgotten fact", "personal", seat, live=False, memory=number))


async def _note(world: World, secrets: Secrets, seat: Turn) -> None:
    word, tag = world.word(), world.word()
    result = await world.call(seat, "remember", content=_about(world, word), tags=[tag])
    secrets.append(Secret(word, "note", "personal", seat, memory=number_of(result)))
    secrets.append(Secret(tag, "tag", "personal", seat))


async def _deleted_note(world: World, secrets: Secrets, seat: Turn) -> None:
    word = world.word()
    number = number_of(await world.call(seat, "remember", content=_about(world, word)))
    for _ in range(2):
        await world.call(seat, "forget", memory_id=number)
    secrets.append(Secret(word, "deleted note", "personal", seat, live=False, memory=number))


async def _opened_note(world: World, secrets: Secrets, seat: Turn) -> None:
    word = world.word()
    number = number_of(await world.call(seat, "remember", content=_about(world, word)))
    await world.bench.host.share(number, world.turn(seat))
    secrets.append(Secret(word, "opened note", "opened", seat, memory=number))


async def _communal_note(world: World, secrets: Secrets, seat: Turn) -> None:
    word = world.word()
    note = {"memory_content": _about(world, word), "scope": "server_wide"}
    number = number_of(await world.call(seat, "create_long_term_memory", **note))
    secrets.append(Secret(word, "note of the place", "communal", seat, memory=number))


async def _episode(world: World, secrets: Secrets, seat: Turn) -> None:
    topic, summary = world.word(), world.word()
    arguments = {"topic": _about(world, topic), "summary": _about(world, summary), "importance": 0.9}
    number = number_of(await world.call(seat, "create_episode", **arguments))
    secrets.append(Secret(topic, "episode", "episode", seat, memory=number))
    secrets.append(Secret(summary, "summary of an episode", "episode", seat))


async def _messages(world: World, secrets: Secrets, seat: Turn) -> None:
    spoken, answered = world.word(), world.word()
    await world.speak(seat, _about(world, spoken))
    await world.bench.host.record("assistant", _about(world, answered), world.turn(seat))
    secrets.append(Secret(spoken, "message", "said", seat))
    secrets.append(Secret(answered, "answer of the assistant", "said", seat))


async def _observation(world: World, secrets: Secrets, seat: Turn) -> None:
    """Said to be looked at: what comes of it, a fact or a question, is the person's; the message is the chat's."""
    word = world.word().capitalize()
    text = world.dice.choice(("I live in {}.", "I think I might move to {} someday.", "Я живу в {}.")).format(word)
    await world.bench.host.observe(text, world.turn(seat))
    secrets.append(Secret(word, "observed message", "observed", seat))


async def _name(world: World, secrets: Secrets, seat: Turn) -> None:
    if not seat.direct:
        word = world.word().capitalize()
        await world.report(seat, word)
        secrets.append(Secret(word, "name", "name", seat))


async def _tie(world: World, secrets: Secrets, seat: Turn, partner: Turn) -> None:
    word = world.word()
    tie = {"user_id": seat.user_number, "related_user_id": partner.user_number, "relationship": "mentor"}
    result = await world.call(seat, "remember_relationship", **tie, description=_about(world, word))
    secrets.append(Secret(word, "relation", "tie", seat, memory=number_of(result), partner=partner))


_PLANTS: tuple[Plant, ...] = (
    _fact,
    _forgotten_fact,
    _note,
    _deleted_note,
    _opened_note,
    _communal_note,
    _episode,
    _messages,
    _observation,
    _name,
)
