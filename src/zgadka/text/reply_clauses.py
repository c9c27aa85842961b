"""A message divided into clauses, and each of them into words and phrases that say yes, no or something beside it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from zgadka.text.folding import unify
from zgadka.text.reply_words import (
    LANGUAGES,
    SIGNS,
    Match,
    Node,
    Roles,
    clause_openers,
    draw_in,
    goes_on,
    is_known,
    known_word,
    matches,
    separate,
)

_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)
_STICKER = re.compile(r"\s*\[(?:sticker|стікер|стикер):(.*)\]\s*", re.IGNORECASE | re.DOTALL)
_QUOTED = re.compile('["«“„]([^"»“”]+)')
_QUOTE = re.compile('["«»“”„]')
_EMOTICON = re.compile(r"[:;=]['-]?[DPdp](?!\w)")
_NUMBER_SIGN = re.compile(
    r"№|\bn(?:[ºo°]|\.[ºo°]?|r\.|um\.) ?(?=\d)|\bč\. ?(?=\d)|(?:(?<=[,\w] )|^)no\. ?(?=\d+,? \w)", re.IGNORECASE
)
_HUNDRED_PERCENT = re.compile(r"\b10+ ?%")
_DRAWN_OUT = re.compile(r"(?=[^\W\d]*([^\W\d])\1\1)[^\W\d]+|(\D)\2{2,}")
_TOKEN = re.compile(
    r"(?P<word>[^\W_]+)|(?P<quote>[\"«»“”„])|(?P<end>(?:[.,;:!?()\n\[\]{}]|\s-+\s)+)|(?P<sign>(?<![\w+])\++1?(?![\w+])|[^\w\s\x00-\x7f])"
)
_NEXT_WORD = re.compile(r"\s*([^\W_]+)")
Segment = tuple[int, Roles]
"""A word or a phrase: how many words it has, and its roles."""

_UNKNOWN: Segment = (1, frozenset())
_NUMBER: Segment = (1, frozenset({"number"}))


class Clause(NamedTuple):
    """What stands between two marks of punctuation, or an emoji.

    Attributes:
        words: As they were typed, in small letters.
        matches: For each word the phrases that begin with it, the longest first.
        is_question: It ends with a question mark.
        is_quoted: It stands between quotation marks.
        is_heading: It ends with a colon.
    """

    words: list[str]
    matches: list[list[Match]]
    is_question: bool
    is_quoted: bool
    is_heading: bool

    def behind(self, place: int) -> "Clause":
        """Return what stands behind a word of it."""
        return self._replace(words=self.words[place:], matches=self.matches[place:])

    def refusing_languages(self) -> set[str]:
        """Return the languages in which any of its words may refuse."""
        return {language for phrases in self.matches for _, node in phrases for language in node.refusing}

    def languages(self) -> set[str]:
        """Return the languages that know any of its words."""
        return {language for phrases in self.matches for _, node in phrases for language in node.roles}

    def holds(self, role: str, languages: tuple[str, ...] = (*LANGUAGES, SIGNS)) -> bool:
        """Whether any of its words or phrases has this role in any of the languages, also within a longer phrase."""
        return any(
            role in node.roles.get(language, ())
            for phrases in self.matches
            for _, node in phrases
            for language in languages
        )

    def segments(self, languages: tuple[str, ...]) -> list[Segment]:
        """Divide the clause into the longest phrases of the languages; of two alike, the first language has it."""
        segments: list[Segment] = []
        position, size = 0, len(self.words)
        while position < size:
            segment = self._longest(position, languages)
            segments.append(segment)
            position += segment[0]
        return segments

    def _longest(self, position: int, languages: tuple[str, ...]) -> Segment:
        for length, node in self.matches[position]:
            roles = node.roles
            for language in languages:
                if language in roles:
                    return length, roles[language]
        return _NUMBER if self.words[position].isdecimal() else _UNKNOWN


@dataclass(frozen=True)
class Message:
    """A message by its clauses.

    Attributes:
        questions: How many question marks it has.
        refuses_across: A phrase that refuses goes over a comma: "ага, щас".
    """

    clauses: tuple[Clause, ...]
    questions: int
    refuses_across: bool

    def holds(self, role: str, languages: tuple[str, ...] = (*LANGUAGES, SIGNS)) -> bool:
        """Whether any of its clauses does, as `Clause.holds`."""
        return any(clause.holds(role, languages) for clause in self.clauses)

    def may_say(self, roles: Roles) -> bool:
        """Whether a word or a phrase has one of these roles in some language, or is a number and that is one."""
        return any(
            not roles.isdisjoint(in_language)
            for clause in self.clauses
            for phrases in clause.matches
            for _, node in phrases
            for in_language in node.roles.values()
        ) or ("number" in roles and any(word.isdecimal() for clause in self.clauses for word in clause.words))


@lru_cache(maxsize=64)
def read_message(text: str) -> Message:
    """Find the words of a message; lines that quote another one (`> …`) are left out."""
    sticker = _STICKER.fullmatch(text)
    if sticker:
        quoted = _QUOTED.search(sticker[1])
        text = quoted[1] if quoted else _QUOTE.sub(" ", sticker[1])
    if ">" in text:
        text = _QUOTED_LINE.sub("", text)
    text = _NUMBER_SIGN.sub("#", _HUNDRED_PERCENT.sub(" 💯 ", text))
    text = unify(_EMOTICON.sub(" ", separate(text)))
    drafts = list(_drafts(_DRAWN_OUT.sub(lambda word: draw_in(word[0]), text)))  # nooooo is no
    words = [known_word(word) for draft in drafts for word in draft.words]
    clauses: list[Clause] = []
    crosses, start = False, 0
    for draft in drafts:
        end = start + len(draft.words)
        candidates = [matches(words, position) for position in range(start, end)]
        for position, phrases in enumerate(candidates, start):
            across = [node for length, node in phrases if position + length > end]
            del phrases[: len(across)]
            crosses |= not draft.is_question and any(_refuses_across(node, phrases) for node in across)
        clauses.append(Clause(draft.words, candidates, draft.is_question, draft.is_quoted, draft.is_heading))
        start = end
    return Message(tuple(clauses), text.count("?"), crosses)


def _refuses_across(node: Node, within: list[Match]) -> bool:
    """Whether a phrase that goes over a comma refuses: "ага, щас", and not "le voit pas, d'accord"."""
    begins_with_no = {language for _, shorter in within for language in shorter.refusing}
    return any("no" in roles for language, roles in node.roles.items() if language not in begins_with_no)


class _Draft(NamedTuple):
    words: list[str]
    is_question: bool = False
    is_quoted: bool = False
    is_heading: bool = False


def _drafts(text: str) -> Iterator[_Draft]:
    """Cut a text into clauses; "but" and an emoji stand alone, and "but" at the very start is nothing."""
    words: list[str] = []
    openers, is_first, is_quoted = clause_openers(), True, False
    for token in _TOKEN.finditer(text):
        kind, word = token.lastgroup, token[0]
        if word.strip() == "," and (follower := _NEXT_WORD.match(text, token.end())) and goes_on(words, follower[1]):
            continue  # "ich will nicht, dass das jemand sieht"
        is_break = kind == "word" and word in openers
        if kind == "word" and not is_break:
            words.append(word)
            is_first = False
            continue
        if words:
            yield _Draft(words, kind == "end" and "?" in word, is_quoted, word.strip() == ":")
            words = []
        if kind == "quote":
            is_quoted = not is_quoted
        elif (is_break and not is_first) or (kind == "sign" and is_known(word)):
            yield _Draft([word], is_quoted=is_quoted)
        is_first = is_first and not is_break
    if words:
        yield _Draft(words, is_quoted=is_quoted)
