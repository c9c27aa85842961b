"""Of a message, the words that its writer wrote themselves: no quotes, forwards, echoes, code or addresses."""

from __future__ import annotations

import re
from dataclasses import dataclass

from zgadka.extract.lexicon import CYRILLIC, named_pattern, words
from zgadka.extract.profile_form import SECTION, as_sentences
from zgadka.extract.subject import mentions_another
from zgadka.extract.values import known_name
from zgadka.model.inference import LONGEST_TEXT
from zgadka.text.folding import unify
from zgadka.text.sanitize import cut, storable

GAP = "\ue000"
"""Stands where something was that is not the writer's; nothing that is stored may hold it."""


@dataclass(frozen=True, kw_only=True)
class UserText:
    """What somebody wrote, and what of it is not their own. Made by the host from the platform's event.

    There is no place for what the assistant said: it may only be named, under `echoes`, to be left out.

    Attributes:
        text: The message, a caption or a transcript.
        quoted: Texts of others that the message replies to or cites.
        echoes: What the bot showed lately; people repeat it, and it is known already.
        forwarded: Whether somebody else wrote the message.
    """

    text: str
    quoted: tuple[str, ...] = ()
    echoes: tuple[str, ...] = ()
    forwarded: bool = False


@dataclass(frozen=True)
class OwnWords:
    """The writer's own words.

    Attributes:
        sentences: In order; `GAP` stands where something was left out.
        cut: How many characters at the end of the message were not read, an unfinished sentence included.
        text: The sentences as one text, for a model.
    """

    sentences: tuple[str, ...]
    cut: int = 0

    @property
    def text(self) -> str:
        """The sentences, one a line."""
        return "\n".join(" ".join(sentence.replace(GAP, " ").split()) for sentence in self.sentences)


# Machines that split text into words leave "i ' m" and "don ' t".
_LOOSE_APOSTROPHE = re.compile(r"(?<=[a-z]) ['’] ?(?=(?:m|s|ve|d|ll|re|t)\b)", re.IGNORECASE)
# Code as chats and pages mark it, comments over several lines, and what was struck out. A ` in a word is an apostrophe.
_LINK = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_ADDRESS = re.compile(r"\S+@\S+|<[^<>\n]{0,80}>|\{[^{}\n]{0,80}\}\}?|\[[^\[\]\n]{0,80}\]")
_ITEM = re.compile(r"^\s*(?:[-*•–—]|\d{1,2}[.)])\s+")
_ENTRY = re.compile(r"\s*[a-z_]+:\s")
_TASK = re.compile(r"^\s*[-*•]?\s*\[[ xXхХ]\]")
_PREFIX = re.compile(
    r"^(?:\[[\d:., /]+\]\s*)?([^\W\d_][^:\n]{0,40}):(?!\d\d(?!\d))(?![()DPpOo3*/|\\](?:\W|$))\s*(?=\S)"
)
# "Favourite food: ramen" is a statement, not what somebody called so says.
_OURS = re.compile(r"\bID:\d+")
_MOST_SENTENCES = 120
"""Nobody says so much in 1,000 characters; each costs what it costs to see that it says nothing."""
_MARKS = re.compile(r"[,.!)(]")
_NOT_WORD = re.compile(r"[\W_]+")


def own_words(message: str | UserText) -> OwnWords:
    """Return the writer's own words of the first 1,000 characters, as far as their last whole sentence."""
    user = UserText(text=message) if isinstance(message, str) else message
    text = _whole_sentences(storable(user.text))
    cut_characters = len(user.text) - len(text)
    if user.forwarded or any(named_pattern(kind).search(text) for kind in ("dialogue", "played")):
        return OwnWords((), cut_characters)
    text = _LOOSE_APOSTROPHE.sub("'", text)
    text = named_pattern("code").sub(GAP, _LINK.sub(" ", text))
    lines = _own_lines(as_sentences(text.splitlines()))
    text = _ADDRESS.sub(GAP, named_pattern("quote").sub(_quotation, "\n".join(lines)))
    foreign = tuple(filter(None, (_normalized(excerpt) for excerpt in (*user.quoted, *user.echoes))))
    stripped = (sentence.strip() for sentence in named_pattern("edge").split(text))
    sentences = [sentence for sentence in stripped if sentence and not _is_foreign(sentence, foreign)]
    cut_characters += sum(map(len, sentences[_MOST_SENTENCES:]))
    return OwnWords(tuple(sentences[:_MOST_SENTENCES]), cut_characters)


def _whole_sentences(text: str) -> str:
    """Return the sentences that end within the first 1,000 characters: of "allergic to peanuts" half is no half."""
    read = cut(text, LONGEST_TEXT)
    if len(read) == len(text):
        return text
    # What ends the last sentence may be the first character that is not read.
    ends = [edge.end() for edge in named_pattern("edge").finditer(text, 0, len(read) + 1)]
    return read[: ends[-1]] if ends else ""


def _own_lines(lines: list[str]) -> list[str]:
    own: list[str] = []
    is_own_list = True
    is_config = False
    for number, line in enumerate(lines):
        pasted = named_pattern("pasted").search(line)
        if pasted is not None and (pasted["edge"] or pasted["colon"] or number + 1 < len(lines)):
            own.append(line[: pasted.start()])
            break
        # "user:", and below it "name: Andrii"
        is_config = SECTION.fullmatch(line) is not None or (is_config and _ENTRY.match(line) is not None)
        if is_config:
            continue
        if named_pattern("forward").match(line) or _heads_chat(line, is_last=number + 1 == len(lines)):
            break
        if _TASK.match(line) or line.lstrip().startswith((">", "|")) or _OURS.search(line) or _is_machines(line):
            continue
        if _ITEM.match(line):
            if is_own_list:
                own.append(_ITEM.sub("", line))
            continue
        is_own_list = not line.rstrip().endswith(":") or _is_own_prefix(line.rstrip()[:-1])
        prefix = _PREFIX.match(line)
        if prefix is None or named_pattern("of_oneself").fullmatch(prefix[1]):
            own.append(line)
        elif _is_own_prefix(prefix[1]):
            if prefix[1].casefold().startswith(_TELLS):
                own.append(prefix[1])
            own.append(_introduced(prefix[1], line[prefix.end() :]))
    return own


def _heads_chat(line: str, *, is_last: bool) -> bool:
    """Tell whether a line begins a message in a chat that was copied with its senders and times."""
    head = named_pattern("chat_head").match(line)
    if head is None:
        return False
    if head["name"]:
        return known_name(head["name"]) is not None
    return not (head["alone"] and is_last)


def _is_machines(line: str) -> bool:
    """Tell whether a line is code, a comment in it, SQL or of a log, also where nothing marks it."""
    if named_pattern("code_line").search(line):
        return True
    return any(named_pattern(kind).match(line) for kind in ("sql_line", "log_line"))


def _is_own_prefix(words_before: str) -> bool:
    prefix = _MARKS.sub(" ", words_before.casefold().replace("’", "'")).split()
    own_prefixes = words("own_prefix", "cues")
    # "ok rule for you:" heads what its writer says; "New mod:" and "soraka_simp:" may be somebody else.
    is_heading = len(prefix) > 1 and (
        prefix[-1] in words("own_heading", "cues") or (len(prefix) > _SPEAKER and not _OWN.isdisjoint(prefix))
    )
    if is_heading and not _heads_anothers(words_before):
        return True
    # "ok so about me:" is three of them.
    return any(
        " ".join(prefix[start:]) in own_prefixes and own_prefixes.issuperset(prefix[:start])
        for start in range(len(prefix))
    )


_SPEAKER = 2  # words that somebody may be called
_TELLS = ("speaking as", "as a ", "as an ", "i'm ", "im ", "i am ", "для анкети")
"""With what a prefix begins that tells something itself, "speaking as a barista:"."""
_OWN = frozenset(
    {
        "i",
        "i'm",
        "im",
        "me",
        "my",
        "so",
        "ok",
        "okay",
        "well",
        "speaking",
        "nobody",
        "also",
        "honestly",
        "я",
        "мені",
        "мене",
    }
)
_HEADS_ANOTHERS = re.compile(
    r"(?i)^me (?:as|at|when|after|before|every|trying|on)\b|\b(?:exam question|example|found|profile i)\b"
    r"|\b(?:says?|said|saying|quote|wrote|writes|bio|caption|ad|npc|lyrics|tweet|post|posts|sign|title|form|email"
    r"|sms|text|texts"
    r"|goes|like|don't|not|never|translate|forget|ignore|repeat|rewrite|summari[sz]e|correct"
    r"|каже|кажуть|пише|написав|написала|сказав|сказала|цитата|оголошення|підпис|текст|лист|пост|біо|анкета|не|переклади|забудь)\b"
    r"|(?-i:\b[A-ZА-ЯІЇЄҐ]\w+ [A-ZА-ЯІЇЄҐ]\w+)|[@_]"
)


def _heads_anothers(words_before: str) -> bool:
    """Tell whether somebody else says what follows, or nobody means it."""
    if _HEADS_ANOTHERS.search(words_before) or mentions_another(words_before):
        return True
    padded = f" {' '.join(_NOT_WORD.sub(' ', words_before.casefold()).split())} "
    return any(f" {cue} " in padded for head in _CUES for cue in words(head, "cues"))


_CUES = ("reported_en", "reported_uk", "unreal_en", "unreal_uk", "forget_en", "forget_uk")


def _introduced(prefix: str, text: str) -> str:
    """Say whose it is where "about me:" said it: "Beth, 44, librarian" as "I'm Beth, 44, librarian"."""
    if not _INTRODUCES.search(prefix) or not _LISTED_NAME.match(text):
        return text
    subject = "я" if CYRILLIC.match(text) else "i'm"
    return f"{subject} {text}"


_INTRODUCES = re.compile(r"\b(?:intro|introduction|about me|about myself|про себе|про мене)\b", re.IGNORECASE)
_LISTED_NAME = re.compile(r"[^\W\d_]+, ?\d\d\b")


def _quotation(match: re.Match[str]) -> str:
    """Keep a short title, «Океан Ельзи», as one word in gaps; drop whatever could be a sentence."""
    inner = match[0].strip("«»“”„\"'‘’ ")
    return f"{GAP}{inner}{GAP}" if 0 < len(inner.split()) <= 3 else GAP


def _normalized(text: str) -> str:
    return f" {' '.join(_NOT_WORD.sub(' ', unify(text[:20_000])).split())} " if any(map(str.isalnum, text)) else ""


def _is_foreign(sentence: str, foreign: tuple[str, ...]) -> bool:
    """Tell whether a sentence stands in somebody else's text, or holds all of it."""
    bare = _normalized(sentence)
    return any(bare in text or text in bare for text in foreign) if bare else False
