"""What the Telegram bot says besides the model's answers, in two languages, and how a text is cut into messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from zgadka.chat.questions import Language
from zgadka.text.clean import cut

MESSAGE_UNITS = 4096
"""The longest message, in UTF-16 code units, as Telegram counts."""

COMMANDS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "memory": "what I remember about you",
        "remember": "remember a text: /remember I am allergic to nuts",
        "forget": "forget by words or id: /forget nuts, /forget 24",
        "history": "what happened to a memory: /history 24",
        "undo": "take back a memory's last change: /undo 24",
        "share": "let me know a memory in every chat where you meet me: /share 24",
        "unshare": "let me know it in this chat only: /unshare 24",
        "privacy": "how much I remember: minimal, partial or full",
        "export": "everything of yours as a file",
        "erase": "erase everything about you, for good",
        "help": "what I can do",
    },
    "uk": {
        "memory": "що я про тебе пам'ятаю",
        "remember": "запам'ятати текст: /remember у мене алергія на горіхи",
        "forget": "забути за словами або номером: /forget горіхи, /forget 24",
        "history": "що сталося зі спогадом: /history 24",
        "undo": "скасувати останню зміну спогаду: /undo 24",
        "share": "дозволити мені знати спогад в усіх чатах, де ти мене зустрінеш: /share 24",
        "unshare": "дозволити мені знати його лише в цьому чаті: /unshare 24",
        "privacy": "скільки я пам'ятаю: minimal, partial або full",
        "export": "усе твоє одним файлом",
        "erase": "стерти все про тебе назавжди",
        "help": "що я вмію",
    },
}

TEXTS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "start": "Hello! I remember what you tell me, and you decide what stays.",
        "edit_hint": "/edit - in reply to my question: correct it before it is saved (/edit Lviv, /edit 2 Lviv)",
        "privacy_minimal": "Privacy level: minimal. I remember what you tell me.",
        "privacy_partial": "Privacy level: partial. I see messages, but I keep and show no memory about you.",
        "privacy_full": "Privacy level: full. I keep nothing of you, not even messages.",
        "privacy_levels": "Change it: /privacy minimal, /privacy partial, /privacy full.",
        "privacy_unknown": "There is no such level.",
        "nothing": "I remember nothing about you here.",
        "restricted": "Your privacy level does not allow it. See /privacy.",
        "here": "What I remember about you, and show in this chat ({count}):",
        "everywhere": "What I remember about you ({count}):",
        "page": "Page {page} of {pages}",
        "remembered": "✓ Remembered (ID:{id}).",
        "known": "I know that already (ID:{id}).",
        "what_remember": "What shall I remember? For example: /remember I am allergic to nuts",
        "what_forget": "What shall I forget? Give words or an id: /forget nuts, /forget 24",
        "nothing_found": "I found nothing that fits these words. Nothing was deleted.",
        "not_found": "There is no such memory of yours here. Nothing was deleted.",
        "which": "Which of these shall I delete?",
        "sure": "Delete for good?",
        "sure_all": "Delete everything that I remember about you, in all chats?",
        "delete": "🗑 Delete",
        "keep": "Keep",
        "deleted": "🗑 Deleted: {text}",
        "deleted_all": "🗑 Everything that I remembered about you is deleted.",
        "kept": "Kept.",
        "too_late": "This question is closed; nothing was deleted.",
        "again": "Something changed or time ran out: please confirm once more.",
        "erase": "Erase everything about you, in every chat, for good: memories, messages, names, questions? It cannot"
        " be undone. You may want an /export first.",
        "erase_yes": "Erase everything",
        "erased": "Erased for good. Receipt: {receipt}. The messages in Telegram itself you delete there.",
        "erased_soon": "The last traces leave the file with the next tidying.",
        "export_privately": "Write /export to me in a private chat: the file is for you alone.",
        "not_yours": "This button is not for you.",
        "unknown_button": "This button does nothing any more.",
        "what_edit": "Reply with /edit to my question: /edit NEW TEXT, or /edit 2 NEW TEXT for the second item.",
        "updated_notice": "✎ Changed: {text} (ID:{id})",
        "deleted_notice": "🗑 Deleted: {text} (ID:{id})",
        "hidden_notice": "Forgotten, and kept for a while only to be undone: {text} (ID:{id})",
        "take_back": "Take it back: /undo_{id}",
        "which_id": "Which one? Give its id: /{command} 24. /memory shows them.",
        "more": "… and {count} more.",
        "rate_limited": "That is too much at once; try again in {seconds} s.",
        "limit_reached": "Not remembered: there is no room for more. Delete something first.",
        "queued": "My memory is busy; this is taken on and done as soon as possible.",
        "busy": "My memory cannot be reached right now; nothing was changed. Please try again later.",
        "refused": "Not done: {reason}",
    },
    "uk": {
        "start": "Привіт! Я пам'ятаю те, що ти розповідаєш, а ти вирішуєш, що лишиться.",
        "edit_hint": "/edit - у відповідь на моє запитання: виправити перед збереженням (/edit Львів, /edit 2 Львів)",
        "privacy_minimal": "Рівень приватності: minimal. Я пам'ятаю те, що ти розповідаєш.",
        "privacy_partial": "Рівень приватності: partial. Я бачу повідомлення, але не тримаю й не показую спогадів.",
        "privacy_full": "Рівень приватності: full. Я не тримаю про тебе нічого, навіть повідомлень.",
        "privacy_levels": "Змінити: /privacy minimal, /privacy partial, /privacy full.",
        "privacy_unknown": "Такого рівня немає.",
        "nothing": "Тут я нічого про тебе не пам'ятаю.",
        "restricted": "Твій рівень приватності цього не дозволяє. Див. /privacy.",
        "here": "Що я про тебе пам'ятаю й показую в цьому чаті ({count}):",
        "everywhere": "Що я про тебе пам'ятаю ({count}):",
        "page": "Сторінка {page} з {pages}",
        "remembered": "✓ Запам'ятав (ID:{id}).",
        "known": "Я вже це знаю (ID:{id}).",
        "what_remember": "Що запам'ятати? Наприклад: /remember у мене алергія на горіхи",
        "what_forget": "Що забути? Дай слова або номер: /forget горіхи, /forget 24",
        "nothing_found": "За цими словами нічого не знайдено. Нічого не видалено.",
        "not_found": "Такого твого спогаду тут немає. Нічого не видалено.",
        "which": "Що з цього видалити?",
        "sure": "Видалити назавжди?",
        "sure_all": "Видалити все, що я про тебе пам'ятаю, в усіх чатах?",
        "delete": "🗑 Видалити",
        "keep": "Лишити",
        "deleted": "🗑 Видалено: {text}",
        "deleted_all": "🗑 Усе, що я про тебе пам'ятав, видалено.",
        "kept": "Лишаю.",
        "too_late": "Це запитання вже закрите; нічого не видалено.",
        "again": "Щось змінилося або час минув: підтверди ще раз.",
        "erase": "Стерти все про тебе в усіх чатах назавжди: спогади, повідомлення, імена, запитання? Скасувати це не"
        " можна. Можливо, спершу зроби /export.",
        "erase_yes": "Стерти все",
        "erased": "Стерто назавжди. Квитанція: {receipt}. Повідомлення в самому Telegram видали там.",
        "erased_soon": "Останні сліди зникнуть із файлу під час наступного прибирання.",
        "export_privately": "Напиши мені /export в особистому чаті: файл лише для тебе.",
        "not_yours": "Ця кнопка не для тебе.",
        "unknown_button": "Ця кнопка вже нічого не робить.",
        "what_edit": "Відповідай на моє запитання: /edit НОВИЙ ТЕКСТ, або /edit 2 НОВИЙ ТЕКСТ для другого пункту.",
        "updated_notice": "✎ Змінено: {text} (ID:{id})",
        "deleted_notice": "🗑 Видалено: {text} (ID:{id})",
        "hidden_notice": "Забуто; лишається ненадовго, щоб можна було скасувати: {text} (ID:{id})",
        "take_back": "Скасувати: /undo_{id}",
        "which_id": "Який саме? Дай номер: /{command} 24. Номери показує /memory.",
        "more": "… і ще {count}.",
        "rate_limited": "Забагато за один раз; спробуй за {seconds} с.",
        "limit_reached": "Не запам'ятав: немає місця. Спершу щось видали.",
        "queued": "Моя пам'ять зайнята; це буде зроблено щойно вийде.",
        "busy": "Моя пам'ять зараз недоступна; нічого не змінено. Спробуй пізніше.",
        "refused": "Не зроблено: {reason}",
    },
}


def units(text: str) -> int:
    """How long a text is for Telegram: in UTF-16 code units."""
    return len(text) + sum(character > "\uffff" for character in text)


def split(text: str, most: int = MESSAGE_UNITS) -> Iterator[str]:
    """Yield a text in pieces of at most `most` UTF-16 units, ended at a line, else at a space; no blank ones.

    No emoji, accent or syllable is split.
    """
    rest = text.strip()
    while units(rest) > most:
        end = most
        while units(rest[:end]) > most:
            end -= max(1, (units(rest[:end]) - most) // 2)
        at = max(rest.rfind("\n", end // 2, end + 1), 0) or rest.rfind(" ", end // 2, end + 1)
        piece = rest[:at] if at > 0 else cut(rest, end)
        rest = rest[len(piece) :].lstrip()
        if piece.strip():
            yield piece.rstrip()
    if rest:
        yield rest
