"""Blank notes: `update_long_term_memory` with blank text deletes at once only what DESIGN.md names, else it asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from zgadka.evals.safety.bench import Bench
from zgadka.evals.safety.deleting import number_of
from zgadka.evals.safety.doors import SETTINGS
from zgadka.evals.safety.entrances import ENTRANCES, REPLIES, TALKS, EntranceName
from zgadka.evals.safety.turnless import AGREES, Rules
from zgadka.evals.safety.worlds import Outcome, World
from zgadka.model.turn import Turn

Origin = Literal["own", "remembered", "of the space", "of the space, by another", "of another", "fact", "elsewhere"]
_ORIGINS: tuple[Origin, ...] = (
    *("own", "own", "remembered", "remembered", "of the space"),
    *("of the space, by another", "of another", "fact", "elsewhere"),
)
_MAY_GO: frozenset[Origin] = frozenset({"own", "remembered", "of the space", "of the space, by another"})
"""What this person may have deleted here, after a question at least."""
_AT_ONCE = _MAY_GO - {"remembered"}
"""What one call deletes that can be undone: the tool for notes made it, it is theirs or the space's."""

_BLANK = ("", " ", "\n\t ", "\u00a0", "\u3000")
_BECOMES_BLANK = ("{}", " {} ", "{ }", "{{}}", "\u200b", "\u2060 ", "\u2800")
"""What is blank once it is cleaned: that deletes nothing, or something would go by accident."""
_REFUSES = ("no", "No, keep it!", "ні, не треба")


@dataclass(frozen=True)
class Blanking:
    """What is tried with one note.

    Attributes:
        reply: What the person does, who is asked over MCP.
    """

    entrance: EntranceName
    origin: Origin
    content: str
    undo: bool
    reply: str

    def goes_at_once(self, turn: Turn) -> bool:
        """Whether one call deletes it."""
        if self.content.strip() or self.origin not in _AT_ONCE or not self.undo or turn.text in _REFUSES:
            return False
        # There, a question is asked by a form or can be answered by nobody.
        return self.entrance != "mcp that asks" and not (self.entrance == "mcp" and turn.turn is None)

    def may_go(self, turn: Turn, rules: Rules, target: int) -> bool:
        """Whether this request may delete it."""
        may_confirm = target in rules.request(turn.turn or turn.text, turn.text, [target])
        if self.content.strip() or self.origin not in _MAY_GO:
            return False
        is_agreed_in_form = self.entrance == "mcp that asks" and self.reply == "agrees"
        return self.goes_at_once(turn) or may_confirm or is_agreed_in_form


async def blank(bench: Bench, name: str) -> Outcome:
    """Have a note's text replaced by a blank one, through one door, up to three times."""
    world = World(bench, name)
    dice = world.dice
    undo = dice.choice((24, 24, 0))
    tried = Blanking(
        dice.choice(ENTRANCES),
        dice.choice(_ORIGINS),
        dice.choice(_BLANK if dice.random() < 0.75 else _BECOMES_BLANK),
        undo > 0,
        dice.choice([*REPLIES]),
    )
    entrance = bench.entrances(replace(SETTINGS, undo_hours=undo)).open(tried.entrance, dice, tried.reply)
    outcome = Outcome(doors=Counter([tried.entrance]))
    alone = tried.origin in ("own", "remembered", "of the space") and dice.random() < 0.3
    home, rules = world.seat(world.users[0], direct=alone), Rules(tried.entrance, undo > 0)
    target = await _plant(world, home, tried.origin)
    owner = world.users[1] if tried.origin == "of another" else world.users[0]
    named = {} if tried.origin.startswith("of the space") else {"target_user": str(owner)}
    arguments: Mapping[str, Any] = {"memory_id": target, "memory_content": tried.content, **named}
    old = await world.rows()
    for attempt in range(3):
        turn = _turn(world, tried.entrance, home, is_first=attempt == 0)
        may_go, must_go = tried.may_go(turn, rules, target), attempt == 0 and tried.goes_at_once(turn)
        await entrance.request(turn, [("update_long_term_memory", arguments)])
        new = await world.rows()
        if new.keys() | {target} != old.keys() or (target in new and new[target].text != old[target].text):
            outcome.failed.append(f"{tried} took or changed another thing")
            break
        if target not in new:
            description = f"{tried}, turn {turn.turn!r}, text {turn.text!r}, call {attempt + 1}"
            outcome.failed += [] if may_go else [f"{description} deleted it"]
            break
        outcome.control(not must_go, f"{tried}, turn {turn.turn!r} did not delete it")
    return outcome


async def _plant(world: World, home: Turn, origin: Origin) -> int:
    """Something that a blank text is to replace, and neighbours of it."""
    neighbour = world.seat(world.users[1])
    for seat in (home, neighbour):
        await world.speak(seat)
    await world.call(home, "remember", content=world.word())
    word, shared = world.word(), {"scope": "server_wide"}
    personal = {"scope": "target_user"}
    match origin:
        case "own":
            planted = await _note(world, home, word, personal | {"target_user": home.user_key})
        case "remembered":
            planted = await world.call(home, "remember", content=word)
        case "of the space":
            planted = await _note(world, home, word, shared)
        case "of the space, by another":
            planted = await _note(world, neighbour, word, shared)
        case "of another":
            planted = await _note(world, neighbour, word, personal | {"target_user": neighbour.user_key})
        case "fact":
            planted = await world.fact(home, "hobby", word)
        case "elsewhere":
            elsewhere = world.seat(home.user, world.spaces[1])
            await world.speak(elsewhere)
            planted = await _note(world, elsewhere, word, personal | {"target_user": home.user_key})
    return number_of(planted)


async def _note(world: World, seat: Turn, word: str, scope: Mapping[str, str]) -> Mapping[str, Any]:
    return await world.call(seat, "create_long_term_memory", memory_content=word, **scope)


def _turn(world: World, entrance: EntranceName, home: Turn, *, is_first: bool) -> Turn:
    turn, dice = world.turn(home, message=None), world.dice
    text = dice.choice((*_REFUSES, *AGREES) if is_first else (*AGREES, "What is the weather like?"))
    if entrance in TALKS:
        return replace(turn, text=text)
    return replace(turn, turn=dice.choice((None, turn.turn)), text=dice.choice((None, None, text)))
