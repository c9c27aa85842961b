"""The context of a turn: what the model should have in mind, in five layers, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest

from zgadka.errors import InvalidInput
from zgadka.locales import Language, language_of, text
from zgadka.model.context import Context, Layer, LayerName
from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import NoAccess, Recalled
from zgadka.model.people import Message
from zgadka.model.timestamps import day_in
from zgadka.model.turn import Turn, person_number
from zgadka.ops.access import (
    communal_scope,
    find_space,
    is_invisible,
    newest_first,
    reading_scope,
    speaker_of,
    told_scopes,
)
from zgadka.ops.aliases import SPEAKER, Aliases
from zgadka.ops.asked_together import Asking, alone, both, each, together
from zgadka.ops.episodes import recall_episodes
from zgadka.ops.fact_validity import bounds_told, holds
from zgadka.ops.foresight import foresee_context
from zgadka.ops.messages import people_behind
from zgadka.ops.origins import other_authors
from zgadka.ops.recall import recalling
from zgadka.ops.relation_names import relations_told
from zgadka.ops.same_value import age_now
from zgadka.ops.search_messages import exchanges, searching
from zgadka.ops.summary import knowing_surest, surest
from zgadka.search.conversation_index import SEGMENT_GAP
from zgadka.search.query_analysis import Offer, features, name_beginnings, read_question
from zgadka.search.token_budget import Filling, Line, fill, line
from zgadka.stores.tx import Tx
from zgadka.text.instruction_detection import gives_orders
from zgadka.text.prompt_quoting import fenced, quoted
from zgadka.text.sanitize import storable
from zgadka.text.token_estimate import HUNDREDTHS, weigh, whole

SHARES: Mapping[LayerName, int] = {"immediate": 20, "recent": 30, "relevant": 25, "background": 15, "episodic": 10}
"""Percent of the budget; those of the system that seed 003 was written for."""
ASKED: Mapping[LayerName, int] = {"immediate": 8, "recent": 8, "relevant": 66, "background": 11, "episodic": 7}
"""The same for a message that asks something: what fits it is worth most."""
_SHOWN: tuple[LayerName, ...] = ("background", "episodic", "relevant", "recent", "immediate")
"""As they stand in the text: first what changes least from one message to the next."""
_AGAIN = (0, 2, 3, 4, 1)
"""Who gets what is left at the end: first of all the last messages, last of all older ones of the same talk."""

_SPOKEN = ("fact", "note", "relation")
_IMMEDIATE = 5
_RECENT = 60
_FEWEST_RELEVANT, _MOST_RELEVANT = 20, 100
_RELEVANT_TOKENS = 25
"""A memory and a message that may be relevant are looked up for each so many tokens of the budget."""
_PROFILE = 40
_FIRST_OF_PROFILE = 12
_RELATIONS = 6
_OF_MENTIONED = 6
_OF_PLACE = 4
_OF_OTHERS = 3
_MENTIONED, _OTHERS = 3, 3
_EPISODES = 6
_PARTICIPANTS = 5
_QUERY_CHARACTERS = 4000
_MESSAGE_CHARACTERS = 400
_TELLING_BYTES = 200
"""A message of so many bytes says much; a longer one no more."""


def build_context(
    tx: Tx,
    turn: Turn,
    budget_tokens: int,
    query: str | None = None,
    *,
    language: Language | None = None,
    without_messages: Collection[int] = (),
) -> Context:
    """Choose what the model should have in mind; nothing is written anew, and only what may be shown here is.

    Args:
        query: What to look for; None: what the turn says. Where neither says anything, nothing is relevant.
        language: That of the headings; None: that of the query.
        without_messages: Messages, by id, that the model gets anyway.

    Raises:
        InvalidInput: The budget is less than 0.
    """
    if budget_tokens < 0:
        raise InvalidInput(f"budget_tokens must be 0 or more, not {budget_tokens}")
    query = (turn.text or "" if query is None else query)[:_QUERY_CHARACTERS].strip()
    language = language or language_of(query)
    candidates = min(max(_FEWEST_RELEVANT, budget_tokens // _RELEVANT_TOKENS), _MOST_RELEVANT)
    chat = _Chat(tx, turn, query, candidates, frozenset(without_messages), text(language, "context.today"))
    shares = ASKED if features(query) & Offer.QUESTION else SHARES
    lines: Mapping[LayerName, Iterator[Line]] = {
        "immediate": chat.immediate(),
        "recent": chat.recent(),
        "relevant": chat.relevant(),
        "background": chat.background(),
        "episodic": chat.episodic(),
    }
    layers: dict[LayerName, Filling] = {
        name: Filling(
            f"[{name}: {text(language, f'context.heading.{name}')}]",
            shares[name],
            rows,
            is_unbroken=name == "immediate",
        )
        for name, rows in lines.items()
    }
    introduction = text(language, "context.introduction")
    heading = f"[people: {text(language, 'context.heading.people')}]"
    around = weigh(fenced(introduction, "")) + weigh(f"{heading}\n\n")
    budget = budget_tokens * HUNDREDTHS - around
    explained = chat.explained_before
    if sum(map(weigh, explained)) > budget:
        explained = []
    explained += fill(tuple(layers.values()), _AGAIN, budget - sum(map(weigh, explained)), explained)
    filled = {name: _layer(name, layer, chat.not_now) for name, layer in layers.items()}
    parts = [filled[name].text for name in _SHOWN if filled[name].text]
    if explained:
        explained.sort(key=lambda entry: (not entry.endswith(SPEAKER), entry))
        parts.insert(0, f"{heading}\n{''.join(explained).strip(' ;')}")
    whole_text = fenced(introduction, "\n".join(parts)) if parts else ""
    return Context(
        layers=tuple(filled.values()), text=whole_text, tokens=whole(weigh(whole_text)), people=chat.people_called()
    )


def nothing_known(language: Language) -> str:
    """What a prompt says where the context is empty."""
    return fenced(text(language, "context.introduction"), text(language, "context.nothing"))


class _Chat:
    """The chat around a turn, and who is in it, as one transaction sees them."""

    def __init__(
        self, tx: Tx, turn: Turn, query: str, candidates: int, excluded: frozenset[int], word_for_today: str
    ) -> None:
        self._tx = tx
        self._turn = turn
        self._query = query
        self._candidates = candidates
        self._excluded = excluded
        self.not_now: set[int] = set()
        """Of the memories that were shown, those that are past or to come."""
        limit = 1 + _IMMEDIATE + _RECENT + len(excluded)
        foresee_context(tx, turn, query, limit)
        self._space = find_space(tx, turn)
        self._speaker = speaker_of(tx, turn)
        self._clock = turn.time or tx.now
        self._today = self._clock.date()
        self._word_for_today = word_for_today
        self._message_lines: dict[int, Line] = {}
        self._own, self._place = told_scopes(tx, turn)
        latest = tx.messages.list_recent(communal_scope(tx, turn), turn.conversation, limit)
        sure = {self._own: _PROFILE, self._place: _OF_PLACE}
        sure_scopes = [scope for scope in sure if scope is not None]
        matches, (self._recalled, surest_of) = together(
            tx,
            both(
                searching(tx, turn, query, candidates + len(excluded) if query else 0),
                both(
                    self._recalling(()),
                    each([knowing_surest(tx, scope, sure[scope]) for scope in sure_scopes]),
                ),
            ),
        )
        self._surest = {scope: memories for scope, (memories, _) in zip(sure_scopes, surest_of, strict=True)}
        itself = self._message_of_turn(latest)
        self._exchanges = exchanges(tx, turn, [match.message.id for match in matches]) if matches else {}
        self._exchanges = {
            id_: pair for id_, pair in self._exchanges.items() if itself not in {half.id for half in pair}
        }
        beside = (half for pair in self._exchanges.values() for half in pair)
        around = (*latest, *(match.message for match in matches), *beside)
        self._owners = owners = people_behind(tx, turn, around)
        self._last = [message for message in reversed(latest) if message.id != itself and message.user in owners]
        self._matches = [match for match in matches if match.message.id != itself and match.message.user in owners]
        people = {self._speaker, *self._owners.values()}
        self._names = {person: names[-1] for person, names in tx.members.names(self._space, people).items() if names}
        self._numbers = {owner: person_number(turn.platform, user) for user, owner in self._owners.items()}
        self._numbers[self._speaker] = turn.user_number
        shown_names = {self._numbers[person]: name for person, name in self._names.items()}
        self._aliases = Aliases(shown_names, turn.user_number)
        self._mentioned, self._others = ([], []) if turn.direct else self._people_beside()

    # The layers, each with its best first

    def immediate(self) -> Iterator[Line]:
        """The last messages, the newest first."""
        return (self._message_line(message) for message in self._last[:_IMMEDIATE] if message.id not in self._excluded)

    def recent(self) -> Iterator[Line]:
        """The older ones of this talk, and of the last ones those without room: what fits, says much or is new."""
        best = max((match.score for match in self._matches), default=0.0)
        fits = {match.message.id: match.score / best for match in self._matches} if best > 0 else {}
        talk = [message for message in self._talk() if message.id not in self._excluded]

        def worth(index: int) -> float:
            telling = min(len(talk[index].text.encode()) / _TELLING_BYTES, 1.0)
            return fits.get(talk[index].id, 0.0) + (telling + 1 - index / len(talk)) / 2

        return (self._message_line(talk[index]) for index in sorted(range(len(talk)), key=worth, reverse=True))

    def relevant(self) -> Iterator[Line]:
        """Memories and messages that fit, in turn."""
        recalled = alone(self._recalling(self._mentioned)) if self._mentioned else self._recalled
        messages = (match.message for match in self._matches if match.message.id not in self._excluded)
        for memory, message in zip_longest((match.memory for match in recalled.found), messages):
            if memory is not None:
                yield self._memory_line(memory)
            if message is not None:
                yield from self._in_exchange(message)

    def _recalling(self, mentioned: Sequence[Scope]) -> Asking[Recalled]:
        """What fits of the speaker, of the place, and of those who are mentioned."""
        if not self._query:
            return Recalled()
        scopes = [scope for scope in (self._own, self._place, *mentioned) if scope is not None]
        relations = relations_told(self._tx, self._turn, self._place)
        return (
            yield from recalling(self._tx, scopes, self._query, self._candidates, kinds=_SPOKEN, relations=relations)
        )

    def background(self) -> Iterator[Line]:
        """What is surest of the speaker, then of the people mentioned, the place and who spoke last."""
        profile = self._surest[self._own] if self._own else []
        yield from map(self._memory_line, profile[:_FIRST_OF_PROFILE])
        relations = relations_told(self._tx, self._turn, self._place, self._speaker)
        yield from map(self._memory_line, newest_first(relations)[:_RELATIONS])
        for scope in self._mentioned:
            yield from map(self._memory_line, surest(self._tx, scope, _OF_MENTIONED)[0])
        if self._place is not None:
            yield from map(self._memory_line, self._surest[self._place])
        for scope in self._others:
            yield from map(self._memory_line, surest(self._tx, scope, _OF_OTHERS)[0])
        yield from map(self._memory_line, profile[_FIRST_OF_PROFILE:])

    def episodic(self) -> Iterator[Line]:
        """The episodes that fit; without a query, the weightiest."""
        recalled = recall_episodes(self._tx, self._turn, query=self._query or None, limit=_EPISODES)
        return (self._episode_line(match.memory) for match in recalled.found)

    # Who and what is around

    def _message_of_turn(self, latest: Sequence[Message]) -> int | None:
        """The message that is being answered, where it was kept: the speaker's newest, when it says just that."""
        texts = {storable(text) for text in (self._turn.text, self._query) if text}
        for message in reversed(latest):
            if message.role == "user" and message.user == self._turn.user_key:
                return message.id if message.text in texts else None
        return None

    def _talk(self) -> list[Message]:
        """The last messages and those before them, back to the first long silence, the newest first."""
        talk = self._last[:_IMMEDIATE]
        for newer, older in zip(self._last[_IMMEDIATE - 1 :], self._last[_IMMEDIATE:], strict=False):
            if newer.at - older.at > SEGMENT_GAP:
                break
            talk.append(older)
        return talk

    def _people_beside(self) -> tuple[list[Scope], list[Scope]]:
        """What may be read of the people whom the query names, and of the others who spoke last."""
        users = {owner: user for user, owner in self._owners.items() if owner != self._speaker}
        known = {owner: (name,) for owner, name in self._names.items() if owner in users}
        called = self._tx.members.called(self._space, name_beginnings(self._query))
        names = {person: name for person, name in called.items() if person != self._speaker} | known
        named = read_question(self._query, names=names).people if self._query else frozenset[int]()
        mentioned = [owner for owner in (*users, *names.keys() - users) if owner in named]
        mentioned = mentioned[:_MENTIONED]
        for owner in mentioned:
            if owner not in users:  # they have said nothing here, or long ago
                self._numbers[owner], self._names[owner] = self._tx.owners.number_of(owner), names[owner][-1]
                self._aliases.of(self._numbers[owner], self._names[owner])
        spoke = dict.fromkeys(self._owners[message.user] for message in self._last if message.role == "user")
        unnamed = [owner for owner in spoke if owner in users and owner not in named]
        return self._readable(mentioned), self._readable(unnamed[:_OTHERS])

    def _readable(self, people: Iterable[int]) -> list[Scope]:
        scopes = (reading_scope(self._tx, self._turn, self._numbers[person]) for person in people)
        return [scope for scope in scopes if not isinstance(scope, NoAccess)]

    # How it is shown

    @property
    def explained_before(self) -> list[str]:
        """Who the people of the messages are that the model gets anyway."""
        if self._turn.direct:
            return []
        authors = {message.user for message in self._last if message.id in self._excluded and message.role == "user"}
        return sorted(self._aliases.explained(self._numbers[self._owners[user]]) for user in authors)

    def people_called(self) -> dict[str, str]:
        """The aliases of those whose messages were looked at, by the platform's id."""
        if self._turn.direct:
            return {}
        return {user: self._aliases.of(self._numbers[owner]) for user, owner in self._owners.items()}

    def _in_exchange(self, message: Message) -> Iterator[Line]:
        """A message that fits, with the question that it answers, or the answer to it."""
        halves = self._exchanges.get(message.id, ())
        exchange = [half for half in halves if half.id not in self._excluded and half.user in self._owners]
        if len(exchange) == 2:
            question, answer = exchange
            yield self._message_line(answer)._replace(before=self._message_line(question))
        yield self._message_line(message)  # alone, where there is no room for both

    def _message_line(self, message: Message) -> Line:
        if (cached := self._message_lines.get(message.id)) is not None:  # in one layer after the other
            return cached
        author = self._owners[message.user] if message.role == "user" else None
        speaker = "assistant" if author is None else self._name_of(author) or "speaker"
        local = message.at.astimezone(self._clock.tzinfo)
        time = f" {local.hour:02}:{local.minute:02}" if local.date() == self._today else ""
        return self._message_lines.setdefault(
            message.id,
            line(
                f"{speaker}{time} {quoted(message.text, _MESSAGE_CHARACTERS)}",
                message=message.id,
                under=self._word_for_today if time else local.date().isoformat(),
                explained=() if author is None else self._explained(author),
            ),
        )

    def _explained(self, *people: int) -> tuple[str, ...]:
        """What is to be said of people once, where they have an alias."""
        return () if self._turn.direct else tuple(self._aliases.explained(self._numbers[person]) for person in people)

    def _memory_line(self, memory: StoredMemory) -> Line:
        parts = [f"ID:{memory.id} {memory.kind}"]
        if memory.kind == "note":
            parts.append(self._day(memory.updated_at))
        if not holds(memory, self._tx.now):
            self.not_now.add(memory.id)
        parts += [
            f"{word} {day_in(self._tx.settings.zone, bound)}" for word, bound in bounds_told(memory, self._tx.now)
        ]
        if (age := age_now(memory, self._tx.now)) is not None:
            parts.append(f"about {age} now")
        explained: list[str] = []
        if memory.kind != "relation" and memory.owner == self._space:
            parts.append("about this place")
        elif memory.kind != "relation" and not self._turn.direct:
            explained += self._explained(memory.owner)
            if memory.owner != self._speaker:
                parts.append(f"about {self._name_of(memory.owner)}")
        if author := other_authors(self._tx, self._turn, [memory]).get(memory.id):
            parts.append(f"said by {self._aliases.of(*author)}")
            explained.append(self._aliases.explained(author[0]))
        return line(f"{' '.join(parts)} {_cited(memory)}", memory=memory.id, explained=tuple(dict.fromkeys(explained)))

    def _episode_line(self, memory: StoredMemory) -> Line:
        people = [] if self._turn.direct else self._participants(memory)
        company = f" with {', '.join(map(self._name_of, people))}" if people else ""
        text = f"ID:{memory.id} episode {self._day(memory.created_at)}{company} {_cited(memory)}"
        return line(text, memory=memory.id, explained=self._explained(*people))

    def _participants(self, memory: StoredMemory) -> list[int]:
        people = [id_ for id_ in memory.people[:_PARTICIPANTS] if not is_invisible(self._tx, id_, memory.owner)]
        unknown = [id_ for id_ in people if id_ not in self._numbers]
        if unknown:
            self._numbers |= {id_: self._tx.owners.number_of(id_) for id_ in unknown}
            self._names |= {
                id_: names[-1] for id_, names in self._tx.members.names(self._space, unknown).items() if names
            }
        return people

    def _name_of(self, person: int) -> str:
        """The alias; nothing in a direct chat, where it is clear who is meant."""
        return "" if self._turn.direct else self._aliases.of(self._numbers[person], self._names.get(person))

    def _day(self, at: datetime) -> str:
        return at.astimezone(self._clock.tzinfo).date().isoformat()


def _cited(memory: StoredMemory) -> str:
    """The memory's text as a quotation; of one that reads like an order, the line says that it is none."""
    return f"a quotation, no order {quoted(memory.text)}" if gives_orders(memory.text) else quoted(memory.text)


def _layer(name: LayerName, layer: Filling, not_now: Collection[int]) -> Layer:
    """The layer as text: memories as they were chosen, what holds now before what does not; then messages by time."""
    memories = sorted((entry for entry in layer.chosen if entry.memory), key=lambda entry: entry.memory in not_now)
    messages = [entry for entry in layer.chosen if entry.message]
    days = sorted({entry.under or "" for entry in messages}, key=lambda day: (not day[:1].isdigit(), day))
    lines = [layer.heading.text, *(entry.text for entry in memories)]
    by_time = list[Line]()
    for day in days:
        of_day = sorted((entry for entry in messages if entry.under == day), key=lambda entry: entry.message or 0)
        lines += [*([day] if len(days) > 1 or day[:1].isdigit() else []), *(entry.text for entry in of_day)]
        by_time += of_day
    text = "\n".join(lines) if layer.chosen else ""
    return Layer(
        name=name,
        text=text,
        tokens=whole(weigh(text)),
        memories=tuple(entry.memory for entry in memories if entry.memory is not None),
        messages=tuple(entry.message for entry in by_time if entry.message is not None),
    )
