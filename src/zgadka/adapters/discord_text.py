"""What the Discord bot says, in two languages, and how text is made fit for Discord: pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from zgadka.chat.consent import build_consent_message, consent_labels
from zgadka.chat.intents import Language
from zgadka.chat.questions import Button, build_memory_confirm_message, reminder_text
from zgadka.model.inference import Inferred, SaveQuestion
from zgadka.model.memory import StoredMemory
from zgadka.model.people import Proposal
from zgadka.text.clean import preview

PLATFORM = "discord"

LONGEST = 2000
"""Characters of a Discord message."""

MOST_DATA = 64
"""Characters of a button's data: Discord would take 100, but every platform's buttons are read alike."""

PAGE = 8
"""Memories on one page of a list."""

PROFILE = "all"
"""Stands in a button's data for everything about a person."""

_SHOWN = 100
_MARKDOWN = re.compile(r"([\\*_~`|\[\]()<>#@:])|^([ \t]*)([-+>]|\d+\.)(?= )", re.MULTILINE)
_QUOTED_LINE = re.compile(r"^\s*>(?: |$)")
_QUOTED_REST = re.compile(r"^\s*>>>")
_FENCE = re.compile(r"^\s*```")
_PRESS = re.compile(r"zg:(ask|delete|keep|page|erase|stay|allow|refuse):(\d{1,20}):([\d,]{1,60}|all)")
_ID = re.compile(r"(?:ID\s*:?\s*)?#?\d{1,16}", re.IGNORECASE)

Deed = Literal["ask", "delete", "keep", "page", "erase", "stay", "allow", "refuse"]


@dataclass(frozen=True)
class Press:
    """What a button of ours means.

    Attributes:
        deed: `ask`: ask before deleting; `delete`, `keep`: the answers; `page`: turn a list's pages; `erase`, `stay`:
            the answers to whether to erase a person; `allow`, `refuse`: those to a question for consent.
        owner: The id of the person whose button it is.
        what: Memory ids with commas between them, `all`, a page's number, or those of a question for consent and of
            what was shown.
    """

    deed: Deed
    owner: str
    what: str


@dataclass(frozen=True, kw_only=True)
class Texts:
    """One language's texts; `str.format` fields in braces."""

    help: str
    nothing: str
    listed: str
    restricted: str
    delete_id: str
    keep: str
    delete: str
    delete_all: str
    ask_delete: str
    ask_delete_all: str
    which: str
    nothing_found: str
    not_found: str
    deleted: str
    kept: str
    level: str
    exported: str
    too_large: str
    ask_erase: str
    erase: str
    erased: str
    not_erased: str
    not_clean: str
    not_yours: str
    trouble: str
    queued: str
    updated: str
    archived: str
    removed: str
    more: str
    take_back: str
    where: str


TEXTS: dict[Language, Texts] = {
    "en": Texts(
        help="Mention me, reply to me or write me a direct message, and I answer and remember what you say.\n"
        "**/memory** what I remember about you, with buttons to delete it\n"
        "**/remember** keep a note\n"
        "**/forget** delete a memory, by its id or by words; I ask first\n"
        "**/history**, **/undo** what happened to a memory, and taking its last change back, by its id\n"
        "**/share**, **/unshare** whether I may know a memory in every place where you meet me, or here only\n"
        "**/privacy** how much I may remember\n"
        "**/export** all that is yours, as a file\n"
        "**/erase** erase everything about you for good; I ask first\n"
        "What you write in direct messages never shows up in a server.",
        nothing="I remember nothing about you here.",
        listed="I remember about you here ({} in all):",
        restricted="Your privacy level is {}: nothing personal is shown. /export and /forget work all the same.",
        delete_id="Delete ID:{}",
        keep="Keep",
        delete="Delete",
        delete_all="Delete everything",
        ask_delete="Delete for good?\n{}",
        ask_delete_all="Delete everything that I remember about you, in all places, for good?",
        which="Which of these shall I forget?",
        nothing_found="Nothing that I remember fits these words; nothing was deleted.",
        not_found="There is no such memory here (any more); nothing was deleted.",
        deleted="Deleted.",
        kept="Kept; nothing was deleted.",
        level="Your privacy level: {}.",
        exported="All that is yours, one JSON object a line.",
        too_large="The export is too large for Discord; ask the operator for it.",
        ask_erase="Erase everything about you, in every place, for good? Nobody can bring it back.",
        erase="Erase everything",
        erased="Erased at {}. Removed: {}.",
        not_erased="Nothing was erased.",
        not_clean="The last traces leave the journal within minutes.",
        not_yours="This is not for you.",
        trouble="That did not work ({}). {}",
        queued="My memory is busy; this is taken on and done as soon as possible.",
        updated="Memory updated",
        archived="Memory archived",
        removed="Memory deleted",
        more="… and {} more",
        take_back="/undo takes it back.",
        where="Only those of this place; what you said elsewhere is shown there.",
    ),
    "uk": Texts(
        help="Згадай мене, відповідай мені або пиши в особисті, і я відповім та запам'ятаю, що ти кажеш.\n"
        "**/memory** що я про тебе пам'ятаю, з кнопками видалення\n"
        "**/remember** зберегти нотатку\n"
        "**/forget** видалити спогад за номером чи словами; спершу спитаю\n"
        "**/history**, **/undo** що сталося зі спогадом і як скасувати його останню зміну, за номером\n"
        "**/share**, **/unshare** чи можна мені знати спогад усюди, де ти мене зустрінеш, чи лише тут\n"
        "**/privacy** скільки мені можна пам'ятати\n"
        "**/export** усе твоє одним файлом\n"
        "**/erase** стерти все про тебе назавжди; спершу спитаю\n"
        "Те, що ти пишеш в особистих, ніколи не з'явиться на сервері.",
        nothing="Тут я нічого про тебе не пам'ятаю.",
        listed="Ось що я тут про тебе пам'ятаю (усього {}):",
        restricted="Твій рівень приватності {}: особистого не показую. /export і /forget усе одно працюють.",
        delete_id="Видалити ID:{}",
        keep="Залишити",
        delete="Видалити",
        delete_all="Видалити все",
        ask_delete="Видалити назавжди?\n{}",
        ask_delete_all="Видалити назавжди все, що я про тебе пам'ятаю, в усіх місцях?",
        which="Що з цього забути?",
        nothing_found="Нічого такого я не пам'ятаю; нічого не видалено.",
        not_found="Такого спогаду тут немає (чи вже немає); нічого не видалено.",
        deleted="Видалено.",
        kept="Залишено; нічого не видалено.",
        level="Твій рівень приватності: {}.",
        exported="Усе твоє, по одному об'єкту JSON на рядок.",
        too_large="Файл завеликий для Discord; звернися до оператора.",
        ask_erase="Стерти назавжди все про тебе, в усіх місцях? Повернути цього не зможе ніхто.",
        erase="Стерти все",
        erased="Стерто {}. Видалено: {}.",
        not_erased="Нічого не стерто.",
        not_clean="Останні сліди зникнуть із журналу за кілька хвилин.",
        not_yours="Це не для тебе.",
        trouble="Не вийшло ({}). {}",
        queued="Моя пам'ять зайнята; це буде зроблено щойно вийде.",
        updated="Спогад оновлено",
        archived="Спогад заархівовано",
        removed="Спогад видалено",
        more="… і ще {}",
        take_back="/undo скасує це.",
        where="Лише з цього місця; сказане деінде показую там.",
    ),
}

DESCRIPTIONS: dict[str, str] = {
    "Show what is remembered about you": "Показати, що про тебе пам'ятають",
    "Remember something about you": "Запам'ятати щось про тебе",
    "What to remember": "Що запам'ятати",
    "Delete a memory; you are asked first": "Видалити спогад; спершу спитаю",
    "An id such as 24, or words": "Номер, як-от 24, або слова",
    "Show what happened to a memory": "Показати, що сталося зі спогадом",
    "Take back a memory's last change": "Скасувати останню зміну спогаду",
    "Let a memory be known wherever you meet me": "Дозволити знати спогад усюди, де ти мене зустрінеш",
    "Let a memory be known here only": "Дозволити знати спогад лише тут",
    "Its id, such as 24": "Його номер, як-от 24",
    "Show or set how much may be remembered": "Показати або змінити, скільки можна пам'ятати",
    "How much; leave out to see it": "Скільки; не вказуй, щоб побачити",
    "Get all that is yours as a file": "Отримати все своє одним файлом",
    "Erase everything about you for good": "Стерти все про тебе назавжди",
    "What I can do": "Що я вмію",
}
"""The texts of the command menu in Ukrainian, by the English ones."""


def escaped(text: str) -> str:
    """The text as it is, for Discord: no formatting, no mention, no link and no list comes of it."""
    return _MARKDOWN.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", text)


def shown(text: str) -> str:
    """The text on one line, cut and escaped."""
    return escaped(preview(text, _SHOWN))


def own_words(text: str) -> str:
    """What of a message its writer wrote: quoted lines are left out, `> …` and everything after `>>>`."""
    own: list[str] = []
    in_code = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            in_code = not in_code
        if not in_code and _QUOTED_REST.match(line):
            break
        if in_code or not _QUOTED_LINE.match(line):
            own.append(line)
    return "\n".join(own)


def split(text: str, limit: int = LONGEST) -> list[str]:
    """The text in pieces of at most `limit` characters; cut at a line's end, else a word's, else anywhere."""
    pieces: list[str] = []
    rest = text.strip()
    while len(rest) > limit:
        at = max(rest.rfind("\n", 1, limit + 1), 0)
        if at < limit // 2:
            at = max(rest.rfind(" ", 1, limit + 1), at)
        at = at if at > 0 else limit
        pieces.append(rest[:at].rstrip())
        rest = rest[at:].lstrip()
    return [piece for piece in (*pieces, rest) if piece]


def memory_line(memory: StoredMemory) -> str:
    """A memory in a list."""
    return f"**ID:{memory.id}** {shown(memory.text)}"


def question_text(question: SaveQuestion, language: Language, *, again: bool = False) -> str:
    """The text of a question about uncertain memories, with what is still open; empty when nothing is."""
    items = [_plain(item) for _, item in question.open_items]
    text = reminder_text(items, language) if again and items else build_memory_confirm_message(items, language)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def fitting(rows: Sequence[Sequence[Button]]) -> list[list[Button]]:
    """The rows of a question's keyboard within Discord's five rows of five buttons; the first stays alone.

    Two items share a row; of what does not fit, all can be saved or skipped at once.
    """
    items = [*rows[1:]]
    paired = [[button for row in items[at : at + 2] for button in row] for at in range(0, len(items), 2)]
    return [list(rows[0]), *paired[:4]] if rows else []


def press_data(deed: Deed, owner: str, what: str | Iterable[int]) -> str | None:
    """A button's data; None when it would be too long."""
    named = what if isinstance(what, str) else ",".join(map(str, what))
    data = f"zg:{deed}:{owner}:{named}"
    return data if len(data) <= MOST_DATA else None


def read_press(data: str) -> Press | None:
    """What the data of a pressed button means; None when it is not one of these."""
    found = _PRESS.fullmatch(data)
    if found is None:
        return None
    return Press(cast("Deed", found[1]), found[2], found[3])


def delete_buttons(owner: str, what: str | Sequence[int], language: Language) -> list[list[Button]]:
    """[Delete] [Keep] under a question; none when the data would be too long, and words must do."""
    texts = TEXTS[language]
    yes, no = press_data("delete", owner, what), press_data("keep", owner, what)
    if yes is None or no is None:
        return []
    if what == PROFILE:
        said = texts.delete_all
    else:
        said = texts.delete_id.format(", ".join(map(str, what))) if len(what) < 4 else texts.delete
    return [[Button(f"🗑 {said}", yes), Button(texts.keep, no)]]


def consent_buttons(owner: str, proposal: Proposal, language: Language) -> list[list[Button]]:
    """[Allow] [Refuse] under a question for consent."""
    allow, refuse = consent_labels(language)
    what = f"{proposal.consent},{proposal.mark}"
    return [[Button(allow, f"zg:allow:{owner}:{what}"), Button(refuse, f"zg:refuse:{owner}:{what}")]]


def consent_pieces(proposal: Proposal, language: Language) -> list[str]:
    """The text of a question for consent; a long one in several messages, for nothing may be agreed to unread."""
    return split(build_consent_message(proposal, language, escape=escaped))


def memory_ids(text: str) -> str | None:
    """The ids that the text names, as `forget` takes them; None when it is words."""
    parts = [part.strip() for part in text.split(",")]
    return ",".join(parts) if all(_ID.fullmatch(part) for part in parts) else None


def _plain(item: Inferred) -> Inferred:
    return replace(item, key=item.key.replace("_", " "), value=shown(item.value))
