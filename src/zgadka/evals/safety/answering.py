"""Answering a question for consent, by each door that takes answers."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from zgadka.evals.safety.doors import in_headers
from zgadka.evals.safety.entrances import BotEntrance, Entrances
from zgadka.model.token import Grant
from zgadka.ops.personal_links import make_link
from zgadka.ops.tokens import add_token

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.evals.safety.worlds import World
    from zgadka.model.turn import Turn

AnswerDoor = Literal["library", "rest", "own page", "bot"]
ANSWER_DOORS: tuple[AnswerDoor, ...] = get_args(AnswerDoor)

_FORM_TOKEN = re.compile(r'name="form_token" value="([0-9a-f]+)"')


class Answers(Protocol):
    """Takes a person's answer to a question about a change by somebody else."""

    async def __call__(self, number: int, seat: Turn, *, agrees: bool, mark: int | None = None) -> None:
        """Answer it.

        Args:
            seat: Whose answer it is; they answer where they are alone.
            mark: That of what they were shown; None: they were shown nothing.
        """
        ...


def answers_by(door: AnswerDoor, world: World, host: Memory, entrances: Entrances | None) -> Answers:
    """What takes answers by this door.

    Args:
        entrances: None: there is none but the library.
    """

    async def by_library(number: int, seat: Turn, *, agrees: bool, mark: int | None = None) -> None:
        await host.answer_consent(number, agrees, world.turn(seat), mark=mark)

    if entrances is None or door == "library":
        return by_library
    inside = entrances

    async def by_rest(number: int, seat: Turn, *, agrees: bool, mark: int | None = None) -> None:
        alone = world.seat(seat.user, direct=True)
        grant = Grant(token=0, role="service", platforms=(world.platform,))
        _, token = await inside.memory.apply(add_token, grant)
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"} | in_headers(alone)
        body = json.dumps({"agrees": agrees} | ({} if mark is None else {"mark": mark})).encode()
        await inside.web.send("POST", f"/v1/me/consents/{number}", body, headers)

    async def by_page(number: int, seat: Turn, *, agrees: bool, mark: int | None = None) -> None:
        link = await inside.memory.apply(make_link, world.platform, seat.user_key, timedelta(hours=1))
        cookie = (await inside.web.form(f"/me/{link}")).cookie
        page = await inside.web.send("GET", "/me", headers={"cookie": cookie})
        form_token = _FORM_TOKEN.search(page.text)
        fields = {"what": "consent", "answer": "yes" if agrees else "no", "mark": "" if mark is None else str(mark)}
        fields["form_token"] = form_token[1] if form_token else ""
        await inside.web.form(f"/me/questions/{number}", cookie, **fields)

    async def by_button(number: int, seat: Turn, *, agrees: bool, mark: int | None = None) -> None:
        from zgadka.bots.buttons import ButtonData, owner_key  # noqa: PLC0415  (the bots' packages, where needed)

        alone = world.seat(seat.user, direct=True)
        button = ButtonData("allow" if agrees else "refuse", owner_key(seat.user_key), number, mark)
        await BotEntrance(inside.memory, world.dice).press(world.turn(alone), str(button))

    return {"rest": by_rest, "own page": by_page, "bot": by_button}[door]
