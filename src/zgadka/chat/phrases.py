"""What the stand-in says, in two languages; the lines that ask are also the lines it reads its open question from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from zgadka.chat.intents import Language

_QUOTE_LIMIT = 200


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """One language's texts; `str.format` fields in braces."""

    keys: dict[str, str]
    quoted: str
    greeting: str
    unclear: str
    nothing_known: str
    known: str
    known_notes: str
    notes_hint: str
    not_known: str
    about_nothing: str
    about: str
    remembered: str
    updated: str
    already: str
    noted: str
    noted_already: str
    ask_change: str
    left: str
    no_question: str
    ask_delete: str
    ask_which: str
    nothing_to_forget: str
    no_such_id: str
    deleted: str
    kept: str
    unanswered: str
    not_in_list: str
    one_by_one: str
    failed: str
    queued: str
    missing_tool: str
    no_tools: str
    too_many: str
    more: str


ENGLISH = Phrases(
    keys={
        "location": "location",
        "name": "name",
        "age": "age",
        "job": "job",
        "hobby": "hobby",
        "like": "likes",
    },
    quoted="“{}”",
    greeting="Hello! I am the offline stand-in: no language model, just a few rules. Tell me plain facts such as"
    " “I live in Kyiv” or ask “what do you know about me?”.",
    unclear="I stored nothing: I am the offline stand-in, no language model, and I only understand plain sentences:"
    " “I live in Kyiv”, “I moved to Lviv”, “call me Olena”, “I like tea”, “I play chess”, “remember that …”,"
    " “where do I live?”, “what do you know about me?”, “forget that …”.",
    nothing_known="I know nothing about you yet.",
    known="I know this about you:",
    known_notes="And I keep these notes:",
    notes_hint="(Notes from “remember that …” I find by their words: ask “what do you know about …?”.)",
    not_known="I don't know that yet ({}).",
    about_nothing="I remember nothing about {}.",
    about="I remember this:",
    remembered="Remembered: {}.",
    updated="Updated: {}.",
    already="I knew that already: {}.",
    noted="Remembered (ID:{}).",
    noted_already="I knew that already.",
    ask_change="Shall I change your {key} from {old} to {new}? Answer yes or no.",
    left="All right, I left everything as it is.",
    no_question="There is no open question, so I did nothing.",
    ask_delete="Shall I delete ID:{id} {content} for good? Answer yes or no.",
    ask_which="Which of these shall I forget? Answer with its ID.",
    nothing_to_forget="I found nothing like that, so there is nothing to forget.",
    no_such_id="There is no memory with that ID ({}); nothing was deleted.",
    deleted="Deleted: {}.",
    kept="All right, I kept it.",
    unanswered="I need a plain yes or no; nothing was changed.",
    not_in_list="That is not in the list I showed; nothing was deleted.",
    one_by_one="I only delete what you name, one after another; nothing was deleted. Say “forget ID:…”.",
    failed="That did not work ({status}); {message}",
    queued="My memory is busy; it is taken on, and I tell you with your next message what came of it.",
    missing_tool="I cannot do that here: the tool {} is not available.",
    no_tools="I have no tools here: what you say of yourself is noted by itself; I can neither see nor change it.",
    too_many="I can keep at most {} facts of one message; please tell me the rest again.",
    more="… and {} more.",
)

UKRAINIAN = Phrases(
    keys={
        "location": "місце проживання",
        "name": "ім'я",
        "age": "вік",
        "job": "робота",
        "hobby": "хобі",
        "like": "подобається",
    },
    quoted="«{}»",
    greeting="Привіт! Я офлайн-замінник: не мовна модель, лише кілька правил. Скажи щось просте, як-от"
    " «Я живу в Києві», або спитай «що ти про мене знаєш?».",
    unclear="Я нічого не зберіг: я офлайн-замінник, не мовна модель, і розумію лише прості речення:"
    " «Я живу в Києві», «Я переїхала до Львова», «Мене звати Олена», «Я люблю чай», «Я граю в шахи»,"
    " «запам'ятай, що …», «де я живу?», «що ти про мене знаєш?», «забудь, що …».",
    nothing_known="Поки що я нічого про тебе не знаю.",
    known="Ось що я про тебе знаю:",
    known_notes="А ще такі нотатки:",
    notes_hint="(Нотатки з «запам'ятай, що …» я шукаю за словами: спитай «що ти знаєш про …?».)",
    not_known="Цього я ще не знаю ({}).",
    about_nothing="Я нічого не пам'ятаю про {}.",
    about="Ось що я пам'ятаю:",
    remembered="Запам'ятав: {}.",
    updated="Оновив: {}.",
    already="Я це вже знав: {}.",
    noted="Запам'ятав (ID:{}).",
    noted_already="Я це вже знав.",
    ask_change="Змінити {key} з {old} на {new}? Відповідай «так» або «ні».",
    left="Гаразд, я залишив усе як є.",
    no_question="Немає відкритого питання, тож я нічого не зробив.",
    ask_delete="Видалити назавжди ID:{id} {content}? Відповідай «так» або «ні».",
    ask_which="Що з цього забути? Відповідай номером ID.",
    nothing_to_forget="Нічого такого я не знайшов, тож забувати нема чого.",
    no_such_id="Немає спогаду з таким ID ({}); нічого не видалено.",
    deleted="Видалено: {}.",
    kept="Гаразд, я залишив це.",
    unanswered="Мені потрібне просте «так» або «ні»; нічого не змінено.",
    not_in_list="Цього немає в списку, який я показав; нічого не видалено.",
    one_by_one="Я видаляю лише те, що ти назвеш, одне за одним; нічого не видалено. Скажи «забудь ID:…».",
    failed="Не вийшло ({status}); {message}",
    queued="Моя пам'ять зайнята; я це візьмусь зробити і з твоїм наступним повідомленням скажу, що вийшло.",
    missing_tool="Тут я цього не можу: інструмент {} недоступний.",
    no_tools="Тут у мене немає інструментів: сказане про себе зберігається само, а я не можу ні глянути, ні змінити.",
    too_many="З одного повідомлення я можу зберегти щонайбільше {} фактів; решту скажи ще раз.",
    more="… і ще {}.",
)

PHRASES: dict[Language, Phrases] = {"en": ENGLISH, "uk": UKRAINIAN}

# A question is a line of its own, and quoted text is always one line: nothing that was remembered can ask.
_DELETE_LINE = re.compile(r"^(?:Shall I delete|Видалити назавжди) ID:(\d+) ", re.MULTILINE)
_CHANGE_LINE = re.compile(r"^(?:Shall I change your |Змінити )", re.MULTILINE)
_WHICH_LINE = re.compile(r"^(?:Which of these shall I forget\?|Що з цього забути\?)", re.MULTILINE)
_LISTED = re.compile(r"^- ID:(\d+) ", re.MULTILINE)


def one_line(text: object) -> str:
    """Return the text on one line, cut where it is long."""
    line = " ".join(str(text).split())
    return line if len(line) <= _QUOTE_LIMIT else line[: _QUOTE_LIMIT - 1] + "…"


def key_label(phrases: Phrases, key: str) -> str:
    """Return the word a person reads for a fact's key."""
    return phrases.keys.get(key, one_line(key).replace("_", " "))


def quoted(phrases: Phrases, text: object) -> str:
    """Return the text on one line, in the language's quotation marks."""
    return phrases.quoted.format(one_line(text))


def deletions_asked(said: str) -> tuple[int, ...]:
    """Return the ids whose deletion the stand-in's own message asks about."""
    return tuple(int(number) for number in _DELETE_LINE.findall(said))


def deletion_lines(said: str) -> str:
    """Return the lines of the stand-in's own message that ask about deletions."""
    return "\n".join(line for line in said.splitlines() if _DELETE_LINE.match(line))


def asks_for_change(said: str) -> bool:
    """Whether the stand-in's own message asks to change a fact."""
    return _CHANGE_LINE.search(said) is not None


def choices_shown(said: str) -> tuple[int, ...]:
    """Return the ids among which the stand-in's own message lets the person choose; empty when it does not ask."""
    return tuple(int(number) for number in _LISTED.findall(said)) if _WHICH_LINE.search(said) else ()
