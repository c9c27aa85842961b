"""Personal links: each opens one person's page once, and ends with its token, its time, an unlinking, an erasure."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from zgadka.evals.safety.bench import Bench
from zgadka.evals.safety.deleting import number_of
from zgadka.evals.safety.doors import in_headers
from zgadka.evals.safety.in_process import InProcess, Reply
from zgadka.evals.safety.worlds import Outcome, World, shows
from zgadka.locales import text
from zgadka.model.token import Grant, TokenRole
from zgadka.model.turn import Turn
from zgadka.ops.personal_links import make_link, unlink
from zgadka.ops.tokens import add_token, revoke_token

if TYPE_CHECKING:
    from zgadka.engine import Memory

STEPS = 10
"""What is done with the links of one world; each is a case."""

_OF_REST, _OF_DASHBOARD, _OF_SESSION = timedelta(hours=1), timedelta(days=1), timedelta(hours=12)
_URL = re.compile(r"/me/(zgadka_[0-9]+_[A-Za-z0-9_-]+)")
_FORM_TOKEN = re.compile(r'name="form_token" value="([0-9a-f]+)"')
_COOKIE = "zgadka_person"


@dataclass
class Pass:
    """A token, a link or a session, and what DESIGN.md says of how long it is good.

    Attributes:
        text: What its holder shows.
        person: Whose it is, by place; None: nobody's alone.
        until: None: no end is set.
        made_with: What it ends with; None: nothing.
        is_over: Whether it was used, revoked, unlinked or erased.
    """

    kind: Literal["token", "operator", "link", "session"]
    text: str
    person: int | None
    until: datetime | None = None
    made_with: Pass | None = None
    is_over: bool = False

    def is_good(self, now: datetime) -> bool:
        """Whether it still opens something."""
        is_live = not self.is_over and (self.until is None or now < self.until)
        return is_live and (self.made_with is None or self.made_with.is_good(now))


@dataclass
class Site:
    """Two people, what each has at their page, and all that was ever handed out.

    Attributes:
        notes: The id of a note of each.
        words: What it says.
        erased: Who was erased.
    """

    world: World
    web: InProcess
    memory: Memory
    outcome: Outcome
    notes: list[int] = field(default_factory=list[int])
    words: list[str] = field(default_factory=list[str])
    erased: set[int] = field(default_factory=set[int])
    passes: list[Pass] = field(default_factory=list[Pass])

    def alone(self, person: int) -> Turn:
        """Somebody in their direct chat."""
        name = str(self.world.users[person])
        return self.world.seat(self.world.users[person], name, name, direct=True)

    def some(self, *kinds: str) -> Pass | None:
        """One that was handed out, good or not: mostly one of the last."""
        passes = [handed for handed in self.passes if handed.kind in kinds]
        return self.world.dice.choice(passes[-4:]) if passes else None

    def check(self, door: str, complaint: str, *, opened: bool, is_due: bool = False, leaked: bool = False) -> None:
        """Count a case.

        Args:
            opened: Whether it opened what it was shown for.
            is_due: Whether it had to.
            leaked: Whether it told or changed what it may not, however that ended.
        """
        self.outcome.cases += 1
        self.outcome.doors[door] += 1
        self.outcome.failed += [complaint] if leaked or (opened and not is_due) else []
        if is_due:
            self.outcome.control(opened, complaint)

    def opens(self, handed: Pass) -> bool:
        """Whether it still opens something."""
        return handed.is_good(self.world.now)

    async def as_session(self, session: Pass, path: str = "/me") -> Reply:
        """Look at a page with what a browser keeps."""
        return await self.web.send("GET", path, headers={"cookie": f"{_COOKIE}={session.text}"})

    async def form_token(self, session: Pass) -> str:
        """What the forms of the session carry."""
        match = _FORM_TOKEN.search((await self.as_session(session)).text)
        return match[1] if match else ""


async def links(bench: Bench, name: str) -> Outcome:
    """Make, open, use, end and forge links and sessions of two people; each use is a case."""
    world, outcome = World(bench, name), Outcome(cases=0)
    entrances = bench.entrances()
    site = Site(world, entrances.web, entrances.memory, outcome)
    for user in world.users[:2]:
        seat = world.seat(user)
        site.words.append(world.word())
        site.notes.append(number_of(await world.call(seat, "remember", content=site.words[-1])))
    await _make(site)
    while outcome.cases < STEPS:
        [step] = world.dice.choices([*_STEPS], [*_STEPS.values()])
        await step(site)
    return outcome


# Making


async def _make(site: Site) -> None:
    """Have a link made, by one of those who can, with a good token or one that is over."""
    make = site.world.dice.choice((_by_rest, _by_rest, _by_dashboard, _by_shell))
    await make(site, site.world.dice.choice((0, 0, 1)))


async def _token(site: Site, role: TokenRole, person: int | None, **bounds: Any) -> Pass:
    """A token of this kind that there is, or a new one."""
    passes = [handed for handed in site.passes if (handed.kind, handed.person) == (_KINDS[role], person)]
    if passes and site.world.dice.random() < 0.7:
        return passes[-1]
    grant = Grant(token=0, role=role, **bounds)
    _, secret = await site.memory.apply(add_token, grant)
    site.passes.append(Pass(_KINDS[role], secret, person))
    return site.passes[-1]


_KINDS: dict[TokenRole, Literal["token", "operator"]] = {"service": "token", "person": "token", "operator": "operator"}


async def _by_rest(site: Site, person: int) -> None:
    platforms = (site.world.platform,)
    if site.world.dice.random() < 0.5:
        token = await _token(site, "service", None, platforms=platforms)
    else:
        name = site.alone(person).user_key
        token = await _token(site, "person", person, platforms=platforms, people=(name,))
    headers = in_headers(site.alone(person)) | {"authorization": f"Bearer {token.text}"}
    reply = await site.web.send("POST", "/v1/me/link", b"{}", headers | {"content-type": "application/json"})
    _note_link(site, "rest", reply, person, token, _OF_REST)


async def _by_dashboard(site: Site, person: int) -> None:
    token = await _token(site, "operator", None, reads=True)
    cookie = (await site.web.form("/dashboard/login", token=token.text)).cookie
    owner = await site.memory.look(
        lambda tx: tx.owners.find("person", site.world.platform, site.alone(person).user_key)
    )
    if owner is None:  # erased
        return
    path = f"/dashboard/people/{owner}"
    form = _FORM_TOKEN.search((await site.web.send("GET", path, headers={"cookie": cookie})).text)
    reply = await site.web.form(f"{path}/link", cookie, form_token=form[1] if form else "")
    _note_link(site, "dashboard", reply, person, token, _OF_DASHBOARD)


async def _by_shell(site: Site, person: int) -> None:
    hours = site.world.dice.choice((1, 6, 48))
    lasts = timedelta(hours=hours)
    link = await site.memory.apply(make_link, site.world.platform, site.alone(person).user_key, lasts)
    site.passes.append(Pass("link", link, person, site.world.now + lasts))


def _note_link(site: Site, door: str, reply: Reply, person: int, token: Pass, lasts: timedelta) -> None:
    match = _URL.search(reply.text)
    complaint = f"{door} made {'a' if match else 'no'} link with {_told(site, token)}"
    site.check(door, complaint, opened=match is not None, is_due=site.opens(token))
    if match is not None:
        site.passes.append(Pass("link", match[1], person, site.world.now + lasts, token))


# Using


async def _open(site: Site) -> None:
    """Open a link; twice, it opens nothing more."""
    link = site.some("link")
    if link is None:
        return
    reply, is_due = await site.web.form(f"/me/{link.text}"), site.opens(link)
    has_opened = reply.status == 303 and reply.cookie.startswith(f"{_COOKIE}=")
    complaint = f"{_told(site, link)} {'opened' if has_opened else 'did not open'}"
    site.check("own page", complaint, opened=has_opened, is_due=is_due)
    if not has_opened:
        return
    link.is_over = True
    until = min(site.world.now + _OF_SESSION, link.until or site.world.now)
    cookie = reply.cookie.removeprefix(f"{_COOKIE}=")
    site.passes.append(Pass("session", cookie, link.person, until, link.made_with))


async def _preview(site: Site) -> None:
    """Fetch a link, as chat programs do: that opens nothing, and shows nothing."""
    link = site.some("link")
    if link is None:
        return
    reply = await site.web.send("GET", f"/me/{link.text}")
    leaked = "set-cookie" in reply.headers or any(shows(reply.text, word) for word in site.words)
    complaint = f"a look at {_told(site, link)} gave {reply.status}"
    site.check("own page", complaint, opened=reply.status == 200, is_due=site.opens(link), leaked=leaked)


async def _visit(site: Site) -> None:
    """See what is at the page of a session: what is the person's, and of nobody else."""
    session = site.some("session")
    if session is None or session.person is None:
        return
    path = site.world.dice.choice(("/me", "/me/export"))
    reply, is_due = await site.as_session(session, path), site.opens(session)
    readable = [person for person, word in enumerate(site.words) if shows(reply.text, word)]
    due = [session.person] if is_due and session.person not in site.erased else []
    complaint = f"{_told(site, session)} gave {reply.status} and the words of {readable}"
    opened = reply.status == 200 and readable == due
    site.check("own page", complaint, opened=opened, is_due=is_due, leaked=bool({*readable} - {*due}))


async def _meddle(site: Site) -> None:
    """Delete by a session: what is another's, or what is their own with no form of theirs."""
    session = site.some("session")
    if session is None or session.person is None:
        return
    victim = 1 - session.person
    is_forged = site.world.dice.random() < 0.5
    form_token = site.world.dice.choice(("", "0" * 64)) if is_forged else await site.form_token(session)
    target = session.person if is_forged else victim
    path = f"/me/memories/{site.notes[target]}"
    change = site.world.dice.choice(({"path": f"{path}/delete"}, {"path": path, "content": "another text"}))
    cookie = f"{_COOKIE}={session.text}"
    old = await site.world.rows()
    await site.web.form(change.pop("path"), cookie, form_token=form_token, **change)
    deed = "took a form that is not its own" if is_forged else "changed what is another's"
    site.check("own page", f"{_told(site, session)} {deed}", opened=old != await site.world.rows())


# Ending


async def _revoke(site: Site) -> None:
    token = site.some("token", "operator")
    if token is not None and not token.is_over:
        await site.memory.apply(revoke_token, int(token.text.split("_")[1]))
        token.is_over = True


async def _unlink(site: Site) -> None:
    person = site.world.dice.choice((0, 1))
    await site.memory.apply(unlink, site.world.platform, site.alone(person).user_key)
    for handed in site.passes:
        handed.is_over |= handed.person == person and handed.kind in ("link", "session")


async def _erase(site: Site) -> None:
    """Have a person erased, by themselves at their page where they can: all that names them ends."""
    session = site.some("session")
    person = site.world.dice.choice((0, 1)) if session is None or session.person is None else session.person
    if session is not None and site.opens(session):
        word = text("en", "dashboard.erase_word")
        fields = {"word": word, "form_token": await site.form_token(session)}
        reply = await site.web.form("/me/erase", f"{_COOKIE}={session.text}", **fields)
        site.outcome.control(reply.status == 200, f"{_told(site, session)} could not erase: {reply.status}")
    else:
        await site.memory.erase(site.world.turn(site.alone(person)))
    site.erased.add(person)
    for handed in site.passes:
        handed.is_over |= handed.person == person


async def _wait(site: Site) -> None:
    if (clock := site.world.bench.clock) is not None:
        await clock.wait(timedelta(minutes=site.world.dice.choice((10, 61, 61, 13 * 60, 25 * 60))))


# Forging


async def _tamper(site: Site) -> None:
    """Change what is shown, or take the number of one and the secret of another."""
    handed, second = site.some("link", "session"), site.some("link", "session", "token")
    if handed is None or second is None:
        return
    dice = site.world.dice
    prefix, number, secret = handed.text.split("_", 2)
    at = dice.randrange(len(secret))
    forged = [
        f"{prefix}_{number}_{secret[:at]}{'A' if secret[at] != 'A' else 'B'}{secret[at + 1 :]}",
        f"{prefix}_{number}_{secret[:-1]}",
        f"{prefix}_{int(number) + 1}_{secret}",
        f"{prefix}_{number}_{second.text.split('_', 2)[2]}" if second.text != handed.text else f"{handed.text}=",
        f"{prefix}_{number}_",
    ]
    await _try_as(site, dice.choice(forged), "own page", f"a forgery of {_told(site, handed)}", dice.choice((0, 1)))


async def _misuse(site: Site) -> None:
    """Show a link as a token or a session, a session as a token or a link, a token as either."""
    handed = site.some("link", "session", "token", "operator")
    if handed is None:
        return
    ways = {"link": (1, 2), "session": (0, 2), "token": (0, 1), "operator": (0, 1, 2)}[handed.kind]
    await _try_as(site, handed.text, "own page", f"{_told(site, handed)} as another", site.world.dice.choice(ways))


async def _try_as(site: Site, credential: str, door: str, description: str, kind: int) -> None:
    """Show a text as a link (0), a session (1) or a token (2): it opens nothing."""
    if kind == 0:
        reply = await site.web.form(f"/me/{credential}")
    elif kind == 1:
        reply = await site.web.send("GET", "/me", headers={"cookie": f"{_COOKIE}={credential}"})
    else:
        door = "rest"
        headers = in_headers(site.alone(0)) | {"authorization": f"Bearer {credential}"}
        reply = await site.web.send("GET", "/v1/me/export", headers=headers)
    leaked = "set-cookie" in reply.headers or any(shows(reply.text, word) for word in site.words)
    opened = reply.status not in (401, 403, 404)
    site.check(door, f"{description} ({kind}) gave {reply.status}", opened=opened, leaked=leaked)


def _told(site: Site, handed: Pass) -> str:
    state = "good" if site.opens(handed) else "over"
    return f"the {handed.kind} #{handed.text.split('_')[1]} of {handed.person}, which is {state},"


_STEPS: dict[Callable[[Site], Awaitable[None]], float] = {
    _make: 2,
    _open: 4,
    _preview: 1,
    _visit: 4,
    _meddle: 2,
    _revoke: 0.6,
    _unlink: 0.5,
    _erase: 0.25,
    _wait: 0.8,
    _tamper: 1.5,
    _misuse: 1.5,
}
"""What may come next, and how often."""
