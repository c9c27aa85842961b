"""No turn id: a host that tells no turns apart, or makes several calls at once, confirms nothing by that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from zgadka.evals.safety.bench import Bench
from zgadka.evals.safety.deleting import number_of
from zgadka.evals.safety.doors import SETTINGS, Call
from zgadka.evals.safety.entrances import ENTRANCES, TALKS, TWO_CALLS_SUFFICE, BotEntrance, Entrance, EntranceName
from zgadka.evals.safety.worlds import Outcome, World
from zgadka.model.memory import StoredMemory
from zgadka.model.turn import Turn

_PROFILE = 0
AGREES = ("yes", "Так, видали", "Yes, delete it.", "Delete it", "видаляй")
"""What agrees to a deletion that was asked about; the order once more does, too."""
_SAYS_NOTHING_OF_IT = ("What is the weather like?", "Hello!", "Як справи?")

Identity = Literal["none", "same", "new", "text"]
"""What the host says of the turn of a request: nothing, the id of the one before, a new id, or its text alone."""
_IDENTITIES: tuple[Identity, ...] = ("none", "none", "none", "same", "new", "text")


@dataclass
class Rules:
    """What may be deleted, said once more: only what was asked about in an earlier request, whose turn is another.

    Attributes:
        undo: Whether a deletion can be undone.
        direct: Whether it is in the person's direct chat.
        asked: By memory, in which turns it was asked about so far; None: in one that has no name.
    """

    entrance: EntranceName
    undo: bool
    direct: bool = False
    asked: dict[int, set[str | None]] = field(default_factory=dict[int, set[str | None]])

    def request(self, name: str | None, text: str | None, targets: Sequence[int]) -> set[int]:
        """The targets that a request may delete; all of them are asked about from now on.

        Lines of the command line are a request each, and to a bot a plain yes answers whatever it asked before.
        """
        if self.entrance == "cli" and len(targets) > 1:
            return set[int]().union(*(self.request(name, text, [target]) for target in targets))
        answered = {*targets, *self.asked} if self.entrance == "bot" else targets
        allowed = {target for target in answered if self._may(target, name, text)}
        for target in targets:
            self.asked.setdefault(target, set()).add(name)
        return allowed

    def _may(self, target: int, name: str | None, text: str | None) -> bool:
        if self.entrance == "mcp that asks":  # there, the person's form alone answers
            return False
        if target not in self.asked or (text is not None and text not in AGREES):
            return False
        if name is None:
            return self.entrance in TWO_CALLS_SUFFICE and self.undo
        return bool(self.asked[target] - {name})


async def turnless(bench: Bench, name: str) -> Outcome:
    """Ask to delete again and again through one door, with and without an id of the turn, alone and in batches."""
    world = World(bench, name)
    dice = world.dice
    entrance_name = dice.choice(ENTRANCES)
    settings = replace(SETTINGS, undo_hours=dice.choice((24, 24, 0)))
    entrance = bench.entrances(settings).open(entrance_name, dice, dice.choice(("ticks nothing", "declines", "leaves")))
    outcome = Outcome(doors=Counter([entrance_name]))
    home = world.seat(world.users[0], direct=dice.random() < 0.3)
    rules = Rules(entrance_name, undo=settings.undo_hours > 0, direct=home.direct)
    ids = [number_of(await world.call(home, "remember", content=world.word()))]
    ids.append(number_of(await world.fact(home, "hobby", world.word())))
    old, turn = await world.rows(), world.turn(home)
    for _ in range(dice.randint(2, 5)):
        if isinstance(entrance, BotEntrance) and dice.random() < 0.4:
            allowed, description = await _by_hand(world, entrance, rules, ids[0])
            new = await world.rows()
            outcome.failed += [f"{description} deleted {ids[0]}"] if {*old} - {*new} - allowed else []
            old = new
            continue
        turn = _identified(world, entrance_name, home, turn)
        targets = dice.choices([ids[0], ids[0], *ids, _PROFILE], k=dice.choice((1, 1, 2, 3)))
        calls = [_call(world, home, target, ids) for target in targets]
        may_go = rules.request(_name_of(turn), turn.text, targets)
        await entrance.request(turn, calls)
        new = await world.rows()
        allowed = {*ids} if _PROFILE in may_go else may_go
        if wrong := set(old) - set(new) - allowed:
            called = ", ".join(f"{tool} {arguments.get('memory_id', '')}" for tool, arguments in calls)
            description = f"{entrance_name}, turn {turn.turn!r}, text {turn.text!r}, undo {settings.undo_hours}"
            outcome.failed.append(f"{description}: {called} deleted {sorted(wrong)} by itself")
            break
        old = new
    if not outcome.failed and ids[0] in old:
        await _agree(world, outcome, entrance_name, entrance, home, ids[0])
    return outcome


async def _by_hand(world: World, bot: BotEntrance, rules: Rules, target: int) -> tuple[set[int], str]:
    """Press a button about a memory, or have a message agree that is not, or not just now, somebody's own words."""
    from zgadka.bots.buttons import ButtonData, owner_key  # noqa: PLC0415  (the bots' packages, where needed)

    dice, direct = world.dice, rules.direct
    owner, stranger = (world.seat(user, direct=direct) for user in world.users[:2])
    manner = dice.choice(("ask", "ask", "delete", "another's", "borrowed", "edited"))
    text = dice.choice(AGREES)
    if manner in ("borrowed", "edited"):
        await bot.write(world.turn(owner), text, borrowed=manner == "borrowed", edited=manner == "edited")
        return set(), f"{manner} {text!r}"
    is_anothers = manner == "another's"
    turn = world.turn(stranger if is_anothers else owner)
    verb = "ask" if manner == "ask" else "delete"
    allowed = set[int]() if is_anothers else rules.request(turn.turn, None if manner == "ask" else "yes", [target])
    await bot.press(turn, str(ButtonData(verb, owner_key(owner.user_key), target)))
    return set() if manner == "ask" else allowed, f"the button {manner}"


def _identified(world: World, entrance: EntranceName, home: Turn, previous: Turn) -> Turn:
    """The turn of the next request, as its host tells it."""
    turn, dice = world.turn(home, message=None), world.dice
    if entrance in TALKS:  # each message is a turn, with its text
        return replace(turn, text=dice.choice((*AGREES, *_SAYS_NOTHING_OF_IT)))
    match dice.choice(_IDENTITIES):
        case "none":
            return replace(turn, turn=None)
        case "same":
            return replace(turn, turn=previous.turn, text=previous.text)
        case "new":
            return turn
        case "text":
            return replace(turn, turn=None, text=dice.choice(AGREES))


def _name_of(turn: Turn) -> str | None:
    return turn.turn or turn.text


def _call(world: World, home: Turn, target: int, ids: Sequence[int]) -> Call:
    if target == _PROFILE:
        return "clear_profile", {"user_id": home.user_number, "reason": "asked"}
    if target == ids[0] and world.dice.random() < 0.3:
        blank: Mapping[str, Any] = {"memory_content": world.dice.choice(("", " ", "\n"))}
        return "update_long_term_memory", {"memory_id": target, "target_user": home.user_key, **blank}
    return "forget", {"memory_id": str(target)}


async def _agree(
    world: World, outcome: Outcome, name: EntranceName, entrance: Entrance, home: Turn, target: int
) -> None:
    """The question waits for a turn that agrees."""
    if name == "mcp that asks":
        return  # there, the form alone answers
    call = ("forget", {"memory_id": str(target)})
    asks = world.turn(home, message=None, turn=None) if name not in TALKS else world.turn(home, text="Forget it")
    await entrance.request(asks, [call])
    if name in TWO_CALLS_SUFFICE:
        await entrance.request(world.turn(home, message=None), [call])
    await entrance.request(world.turn(home, message=None, text="yes"), [call])
    rows: Mapping[int, StoredMemory] = await world.rows()
    outcome.control(target not in rows, f"{name}: nobody could agree to delete {target}")
