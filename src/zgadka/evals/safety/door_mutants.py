"""Guards of the web, of MCP, of the bots, of frameworks and of links, each taken away once; see `mutants`."""

from __future__ import annotations

import types
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import Any, get_args
from uuid import uuid4

from zgadka.evals.safety.planting import Mutant, everywhere, replaced
from zgadka.model.memory import StoredMemory
from zgadka.model.question import Deletion
from zgadka.model.token import Grant, Token, TokenKind
from zgadka.model.turn import Turn
from zgadka.ops import browser_sessions, erase, forget, notes, personal_links, self_service, tokens
from zgadka.ops.tokens import add_token
from zgadka.stores.tx import Tx
from zgadka.tools import notes as note_tools
from zgadka.tools.declare import Tool

Plant = Callable[[], AbstractContextManager[None]]


def _in(path: str, name: str, by: object) -> Plant:
    """Let a name of a module be another, or of a class in it (`zgadka.web.auth:Doors`); it is imported when planted."""

    @contextmanager
    def plant() -> Generator[None]:
        module, _, owner = path.partition(":")
        holder: object = import_module(module)
        with replaced(vars(holder)[owner] if owner else holder, name, by):
            yield

    return plant


def _wrapped(path: str, name: str, wrap: Callable[[Any], object]) -> Plant:
    """The same where what stands in needs what was there."""

    @contextmanager
    def plant() -> Generator[None]:
        module, _, owner = path.partition(":")
        holder: object = import_module(module)
        holder = vars(holder)[owner] if owner else holder
        with replaced(holder, name, wrap(vars(holder)[name])):
            yield

    return plant


def _all(*plants: Plant) -> Plant:
    """Several at once: one guard that stands in two places."""

    @contextmanager
    def plant() -> Generator[None]:
        with ExitStack() as stack:
            for each in plants:
                stack.enter_context(each())
            yield

    return plant


# What stands in a guard's place


def _nothing(*_: object, **__: object) -> None:
    pass


def _zero(*_: object, **__: object) -> int:
    return 0


def _yes(*_: object, **__: object) -> bool:
    return True


def _no(*_: object, **__: object) -> bool:
    return False


def _as_it_is(turn: Turn) -> Turn:
    return turn


def _asks_of_tools(tool: Tool, _: object) -> bool:
    return tool.asks


def _without_parent(tx: Tx, token: Token) -> bool:
    return token.expires_at is None or tx.now < token.expires_at


def _without_time(tx: Tx, token: Token) -> bool:
    parent = tx.tokens.get(token.grant.parent) if token.grant.parent else None
    return not token.grant.parent or parent is not None


def _of_any_kind(find: Any) -> object:
    def find_token(tx: Tx, text: str, _: TokenKind) -> Token | None:
        tokens_found: list[Token | None] = [find(tx, text, kind) for kind in get_args(TokenKind)]
        return next(filter(None, tokens_found), None)

    return find_token


def _opened_again(tx: Tx, text: str) -> tuple[Token, str] | None:
    link = personal_links.read_link(tx, text)
    if link is None:
        return None
    session = Grant(
        token=0,
        role="person",
        label="session",
        platforms=link.grant.platforms,
        people=link.grant.people,
        kind="session",
        parent=link.grant.parent,
    )
    return add_token(tx, session, timedelta(hours=1))


def _anybodys(tx: Tx, _: Turn, memory_id: int) -> StoredMemory | None:
    owner = tx.memories.find_owner(memory_id)
    return None if owner is None else tx.memories.get(owner, memory_id)


def _of_own_turn(speaker: Turn) -> Turn:
    return replace(speaker, turn=f"mcp:{uuid4().hex}")


def _agreed(*_: object, **__: object) -> str:
    return "agreed"


def _all_agreed(_tx: Tx, _turn: Turn, _text: str, question: Deletion, *_: object, **__: object) -> dict[int, str]:
    return dict.fromkeys(question.group, "agreed")


def _made_by_anything(tx: Tx, turn: Turn, _: object) -> bool:
    return tx.settings.undo_hours > 0 and turn.answers is None


def _undo_or_not(goes_at_once: Any) -> object:
    def without_undo(tx: Tx, turn: Turn, note: StoredMemory) -> bool:
        settings = tx.settings
        tx.settings = replace(settings, undo_hours=24)
        try:
            return goes_at_once(tx, turn, note)
        finally:
            tx.settings = settings

    return without_undo


def _each_a_turn(call: Any) -> object:
    async def in_own_turn(toolset: Any, name: str, arguments: Any, turn: Turn) -> Any:
        return await call(toolset, name, arguments, replace(turn, turn=uuid4().hex))

    return in_own_turn


def _as_own_words(take: Any) -> object:
    async def take_anything(answers: Any, message: Any) -> bool:
        return await take(answers, replace(message, borrowed=False, edited=False))

    return take_anything


def _with_the_newest_mark(_: Any) -> object:
    async def answer(presses: Any, press: Any, data: Any, __: object) -> None:
        memory, turn = presses.memory, press.turn
        proposal = await memory.proposal(data.number, turn)
        mark = None if proposal is None else proposal.mark
        await memory.answer_consent(data.number, data.verb == "allow", turn, mark=mark)

    return answer


def _on_own_page(_: Any) -> object:
    async def answer(request: Any, turn: Turn, question: str) -> str:
        memory = request.app.state.doors.memory
        proposal = await memory.proposal(int(question), turn)
        agrees = request.state.form.get("answer") == "yes"
        mark = None if proposal is None else proposal.mark
        await memory.answer_consent(int(question), agrees, turn, mark=mark)
        return "answered"

    return answer


_ALL_EQUAL = types.SimpleNamespace(compare_digest=_yes)
_READER = "zgadka.web.dashboard.routes_base:ReaderPage"
_VISITOR = "zgadka.web.dashboard.session:Visitor"

DOOR_MUTANTS: tuple[Mutant, ...] = (
    # The web
    Mutant("any role uses any route", "grants", _in("zgadka.web.routes_base:Door", "_check", _nothing)),
    Mutant("any role does anything", "grants", partial(replaced, Grant, "has", _yes)),
    Mutant("a token acts for anybody", "grants", partial(replaced, Grant, "acts_for", _yes)),
    Mutant("a token acts anywhere", "grants", partial(replaced, Grant, "enters", _yes)),
    Mutant("an operator reads without the right", "grants", _in("zgadka.web.routes_base:ReaderDoor", "does", None)),
    Mutant("an operator undoes without the right", "grants", _in("zgadka.web.routes_base:UndoDoor", "does", None)),
    Mutant(
        "the dashboard is read without the right",
        "grants",
        _all(_in(_READER, "reads", False), _in(_VISITOR, "reads", property(_yes))),
    ),
    Mutant("a revoked token is remembered", "grants", _in("zgadka.web.auth:Doors", "_noticed", _nothing)),
    Mutant("a token has no end", "grants", partial(everywhere, tokens, "is_good", _without_time)),
    Mutant("any secret opens", "grants", partial(replaced, tokens, "hmac", _ALL_EQUAL)),
    Mutant(
        "a consent on the own page is to whatever it is now",
        "policy",
        _wrapped("zgadka.web.dashboard.own_page", "answer_question", _on_own_page),
    ),
    # Links
    Mutant("a link opens again", "links", partial(everywhere, personal_links, "open_link", _opened_again)),
    Mutant("a link outlives its token", "links", partial(everywhere, tokens, "is_good", _without_parent)),
    Mutant("a link has no end", "links", partial(everywhere, tokens, "is_good", _without_time)),
    Mutant("unlinking ends nothing", "links", partial(replaced, personal_links, "forget_person", _zero)),
    Mutant("an erasure leaves links", "links", partial(replaced, erase, "forget_person", _zero)),
    Mutant(
        "a link, a session and a token are one",
        "links",
        partial(everywhere, tokens, "find_token", _of_any_kind(tokens.find_token)),
    ),
    Mutant("any secret is a link's", "links", partial(replaced, tokens, "hmac", _ALL_EQUAL)),
    Mutant("a form is taken from anywhere", "links", partial(replaced, browser_sessions, "is_own_form", _yes)),
    Mutant(
        "the own page changes what is another's",
        "links",
        _all(
            partial(replaced, self_service, "_memory_with", _anybodys), partial(replaced, self_service, "is_own", _yes)
        ),
    ),
    # REST, frameworks and the library: which calls are one turn
    Mutant("a nameless request is a turn", "turnless", partial(replaced, Turn, "of_request", _as_it_is)),
    Mutant("a nameless batch is several turns", "turnless", partial(replaced, Turn, "of_batch", _as_it_is)),
    Mutant("a blank note is a turn of its own", "turnless", partial(replaced, Tool, "may_ask", _asks_of_tools)),
    Mutant("any later words agree", "turnless", partial(replaced, forget, "verdicts_on", _all_agreed)),
    Mutant(
        "each call of a message is a turn", "turnless", _wrapped("zgadka.chat.agent:MemoryTools", "call", _each_a_turn)
    ),
    # MCP
    Mutant("MCP takes a second call for consent", "turnless", _in("zgadka.mcp.server", "_own_turn", _of_own_turn)),
    Mutant("MCP does not read the form", "turnless", _in("zgadka.mcp.server", "_choice", _agreed)),
    Mutant("MCP asks about no blank note", "blank", _in("zgadka.mcp.server", "_deletes", _asks_of_tools)),
    # The bots
    Mutant(
        "a bot does in groups what is for the person alone", "grants", _in("zgadka.bots.commands", "_grant", _nothing)
    ),
    Mutant(
        "a bot takes a forwarded yes",
        "turnless",
        _wrapped("zgadka.bots.plain_answers:PlainAnswers", "take", _as_own_words),
    ),
    Mutant("a bot's list deletes by its second press", "turnless", _in("zgadka.bots.presses", "is_asked", _no)),
    Mutant(
        "a bot's button agrees to whatever it is now",
        "policy",
        _wrapped("zgadka.bots.presses:Presses", "_answer_consent", _with_the_newest_mark),
    ),
    # Blank notes
    Mutant(
        "a blank note goes where nothing brings it back",
        "blank",
        partial(replaced, notes, "_goes_at_once", _undo_or_not(vars(notes)["_goes_at_once"])),
    ),
    Mutant(
        "a blank note goes at once, whatever made it",
        "blank",
        partial(replaced, notes, "_goes_at_once", _made_by_anything),
    ),
    Mutant("a blank note goes against a refusal", "blank", partial(replaced, notes, "plainly_refuses", _no)),
    Mutant("what becomes blank is kept", "blank", partial(replaced, note_tools, "shows_nothing", _no)),
)
