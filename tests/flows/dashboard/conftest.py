"""A server with people's memories, and a browser that can reach nothing else."""

from __future__ import annotations

import asyncio
import itertools
import re
import shutil
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from zgadka import Settings, Turn, open_memory
from zgadka.model.inference import Inferred
from zgadka.model.people import Member
from zgadka.model.token import Grant
from zgadka.ops.personal_links import make_link
from zgadka.ops.questions import ask_to_save
from zgadka.ops.tokens import add_token
from zgadka.web.app import build_app

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _BROWSERS)), "")
_FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--force-color-profile=srgb"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
NAMES = {123: "Олена Коваль", 77: "Tom Baker", 9: "Марко"}

expect.set_options(timeout=120_000)  # a machine that stalls for a moment is no test's business

_turns = itertools.count(1)


class Site:
    """The server, in a thread of its own, and its memory.

    Attributes:
        url: Its address.
        clock: What time the memory thinks it is.
    """

    def __init__(self, folder: Path, *, authenticates: bool = True, **settings: Any) -> None:
        self.now = datetime.now(UTC)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.memory = open_memory(
            f"sqlite:///{folder / 'memory.db'}",
            settings=Settings(background=False, calls_per_answer=0, calls_per_hour=0, **settings),
            clock=lambda: self.now,
        )
        self.run(self.memory.__aenter__)
        self.app = build_app(self.memory, authenticates=authenticates, hosts={"127.0.0.1"})
        config = uvicorn.Config(self.app, log_level="warning", access_log=False, lifespan="on")
        self._server = uvicorn.Server(config)
        self._server.install_signal_handlers = lambda: None  # pyright: ignore[reportAttributeAccessIssue]
        listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self._serving = asyncio.run_coroutine_threadsafe(self._server.serve([listening]), self._loop)
        while not self._server.started:
            self.run(lambda: asyncio.sleep(0.01))

    def run(self, act: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        """Do something on the server's event loop."""

        async def acting() -> Any:
            return await act(*arguments)

        return asyncio.run_coroutine_threadsafe(acting(), self._loop).result(120)

    def close(self) -> None:
        self.app.close()
        self._server.should_exit = True
        self._serving.result(120)
        self.run(self.memory.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def call(self, tool: str, user: int = 123, *, turn: str | None = None, arm: Any = None, **arguments: Any) -> Any:
        """Call a tool as a model does, in a group."""
        name = turn or f"t{next(_turns)}"
        said = Turn(platform="telegram", space="Hiking club", chat="Hiking club", user=user, turn=name, arm=arm)
        return self.run(self.memory.call, tool, arguments, said)

    def fact(self, key: str, value: str, user: int = 123, **more: Any) -> int:
        given = {"user_id": user, "fact_type": "personal", "fact_key": key, "fact_value": value, "confidence": 0.9}
        result = self.call("remember_fact", user, **(given | more))
        assert result.status == "success", result
        return result["fact_id"]

    def update(self, key: str, value: str, user: int = 123, **more: Any) -> Any:
        given = {"user_id": user, "fact_type": "personal", "fact_key": key, "new_value": value, "confidence": 0.9}
        return self.call("update_fact", user, **({"change_reason": "update"} | given | more))

    def answer(self, arm: Any, outcome: Any, seconds: float = 0.8) -> None:
        """Have a model answer, in a chat with this arm."""
        said = Turn(platform="telegram", space=arm, chat=arm, user=123, arm=arm)

        async def answered() -> None:
            self.memory.answered(said, outcome, seconds)

        self.run(answered)

    def observe(self, text: str) -> None:
        """Have the automated arm look at a message."""
        said = Turn(platform="telegram", space="automated", chat="automated", user=123, arm="automated")
        self.run(self.memory.observe, text, said)
        self.now += timedelta(minutes=5)
        self.run(self.memory.resume)

    def flush(self) -> None:
        self.run(self.memory._activity.flush)

    def token(self, *, reads: bool = True, role: str = "operator") -> str:
        grant = Grant(token=0, role=role, reads=reads, platforms=() if role == "operator" else ("telegram",))  # pyright: ignore[reportArgumentType]
        return self.run(self.memory.apply, add_token, grant)[1]

    def link(self, user: int = 123, lasts: timedelta = timedelta(days=1), platform: str = "telegram") -> str:
        return f"{self.url}/me/{self.run(self.memory.apply, make_link, platform, str(user), lasts)}"

    def ask(self, user: int = 123) -> None:
        turn = Turn(platform="telegram", space="Hiking club", chat="Hiking club", user=user, turn=f"t{next(_turns)}")
        items = [
            Inferred(type="preference", key="drink", value="jasmine tea", excerpt="I suppose I like jasmine tea"),
            Inferred(type="skill", key="language", value="Portuguese", excerpt="learning some Portuguese"),
        ]
        self.run(self.memory.apply, ask_to_save, turn, items)

    def people(self) -> None:
        """Make some people known."""
        for user, name in NAMES.items():
            member = Member(user=str(user), number=user, name=name)
            self.run(self.memory.report_member, "telegram", "Hiking club", member)


def populate(site: Site, *, days: int = 1) -> None:
    """A day of a lively group: what tools really answer, at times that a clock set by hand gives."""
    site.people()
    end = site.now
    site.now = end - timedelta(days=days)
    site.fact("location", "Київ")
    site.fact("hobby", "гірські походи", fact_type="preference")
    site.fact("language", "Rust", fact_type="skill")
    site.fact("location", "Leeds", 77)
    site.fact("pet", "a cat called Biscuit", 77, fact_type="personal")
    site.call("remember", 77, content="Is allergic to walnuts", permanent=True)
    site.update("location", "Львів", confidence=0.95)
    places = ["Hoverla", "Petros", "Synevyr", "Dragobrat", "Svydovets", "Gorgany", "Chornohora", "Beskydy"]
    steps = 44 * days
    for step in range(steps):
        site.now += timedelta(days=days) / (steps + 1)
        busy = 1 + (step * 7 % 11) // 3 + (3 if 14 < step % 44 < 34 else 0)
        for again in range(busy):
            turn = f"s{step}-{again}"
            if again % 4 != 3:
                site.call("recall_facts", 123, turn=turn, user_id=123)
            value = places[(step + again) % len(places)] if again % 3 else f"trail number {step}"
            given = {"user_id": 123, "fact_type": "preference", "fact_key": "trail", "fact_value": value}
            site.call("remember_fact", 123, turn=turn, confidence=0.8, **given)
            site.call("recall", 77, query="who is allergic")
        if step % 6 == 2:
            site.call(
                "create_episode", 77, topic=f"Planning hike {step}", summary="The route was agreed.", importance=0.8
            )
        if step % 5 == 4:
            removed = {"user_id": 123, "fact_type": "preference", "fact_key": "trail", "reason": "outdated"}
            facts = site.call("recall_facts", 123, user_id=123, search_query=f"trail number {step - 1}")["facts"]
            trails = [fact["fact_id"] for fact in facts if "number" in fact["value"]]
            if trails:
                site.call("forget_fact", 123, fact_id=trails[0], **removed)
        if step % 3 == 1:
            site.update("location", f"Leeds {step}", 77)
        site.answer("tools", "fallback" if step % 15 == 7 else "answered", 0.4 + step % 7 / 4)
        site.answer("automated", "answered", 0.3 + step % 5 / 4)
        if step % 2:
            site.call("remember", 77, content=f"Walked {step} km", arm="tools")
        if step % 4 == 3:
            site.observe(f"My favourite trail is number {step} of the Carpathians. I like tea number {step}.")
        site.flush()
        site.memory._activity.forget()  # the next step is another conversation
    site.now = end
    site.flush()
    site.ask()


@pytest.fixture(
    scope="module"
)  # while it is there, its event loop runs in this thread, where others' tests need theirs
def chromium() -> Iterator[Browser]:
    assert CHROMIUM, "chromium is missing: ./run test installs it (on Debian: apt-get install chromium)"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        with closing(browser):
            yield browser


@pytest.fixture
def make_site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    made: list[Site] = []

    def make(**options: Any) -> Site:
        folder = tmp_path / f"site{len(made)}"
        folder.mkdir()
        made.append(Site(folder, **options))
        return made[-1]

    yield make
    for site in made:
        site.close()


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    """A server with three people and a few memories."""
    made = make_site()
    made.people()
    return made


@pytest.fixture(scope="session")
def lively(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server with a day behind it; tests must leave it as it is."""
    made = Site(tmp_path_factory.mktemp("lively"))
    populate(made)
    yield made
    made.close()


_OPENS = re.compile("Open my page|Відкрити мою сторінку")


class Visit:
    """A browser's window onto a site. What it may not do is noted, and fails the test at its end."""

    def __init__(self, context: BrowserContext, site: Site) -> None:
        self.site = site
        self.context = context
        self.strangers: list[str] = []
        self.complaints: list[str] = []
        self.expected: tuple[str, ...] = ()
        context.on("request", self._look)  # not `route`, with which nothing would be kept for the next page
        self.page = context.new_page()
        self.page.set_default_timeout(120_000)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _look(self, request: Request) -> None:
        if not request.url.startswith(self.site.url + "/"):  # and its name is unknown: see `_FLAGS`
            self.strangers.append(request.url)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(part in message.text for part in self.expected):
            self.complaints.append(message.text)

    def log_in(self, **token: Any) -> Page:
        """Come in as an operator, at the first board; what the form does, the tests without mouse or scripts see."""
        given: dict[str, str | float | bool] = {"token": self.site.token(**token)}
        assert self.context.request.post(f"{self.site.url}/dashboard/login", form=given, max_redirects=0).status == 303
        self.page.goto(f"{self.site.url}/dashboard/boards/usage")
        return self.page

    def open_link(self, link: str | None = None) -> Page:
        self.page.goto(link or self.site.link())
        self.page.get_by_role("button", name=_OPENS).click()
        self.page.wait_for_url("**/me")
        return self.page


@pytest.fixture
def visit(chromium: Browser, make_site: Callable[..., Site]) -> Iterator[Callable[..., Visit]]:
    """Open a browser of one's own: `visit(site, color_scheme="dark")`."""
    del make_site  # is asked for so that a window is closed before the server that it listens to
    made: list[Visit] = []

    def open_(site: Site, **options: Any) -> Visit:
        given: dict[str, Any] = {"locale": "en-GB", "timezone_id": "UTC", "viewport": {"width": 1280, "height": 900}}
        made.append(Visit(chromium.new_context(**(given | options)), site))
        return made[-1]

    yield open_
    for one in made:
        one.context.close()
        assert one.strangers == []
        assert one.complaints == []
