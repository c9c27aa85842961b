"""The units of a sentence in a language whose words are declined by a table, `data/forms_<code>.txt`.

All forms of all listed words are made once, when a message first is in that language; then each is one look-up.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from zgadka.extract.frame_values import as_said
from zgadka.extract.units import Kinds
from zgadka.extract.value_rules import ValueRule
from zgadka.text.word_lists import read_table

_SURE = "n"
_LISTED = re.compile(r"\s*[,/&]\s*|\s+\+\s+")


class DeclinedKinds(Kinds):
    """The word lists of such a language; docs/languages.md says what its files have in them."""

    def __init__(self, entries: Mapping[str, Any]) -> None:
        sentence = entries["sentence"]
        self._letters = tuple(sentence.get("folds", {}))
        self._plain = str.maketrans(dict(sentence.get("folds", {})))
        self._declension: dict[str, tuple[str, ...]] = read_table(sentence["forms"], "zgadka.extract")
        self._endings: dict[str, tuple[str, ...]] = {
            kind: tuple(endings.split()) for kind, endings in entries.get("endings", {}).items()
        }
        # "maluje" is "maluję" without its sign, and somebody else who paints.
        self._unfolded: dict[str, str] = {}
        self._known: frozenset[str] = frozenset()
        self._kept: tuple[str, ...] = tuple(sentence.get("no_folds", ()))
        self._verbs = frozenset(sentence.get("verbs", ()))
        self._joints = "|".join(sentence.get("joints", ()))
        self._adjectives: Mapping[str, str] = entries.get("adjectives", {})
        self._behind: Mapping[str, str] = entries.get("adjectives_behind", {})
        self._guesses: Mapping[str, str] = entries.get("guesses", {})
        self._bases: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        super().__init__(entries)
        self.grammar = Kinds.grammar | frozenset(self._endings)
        for kind, listed in entries.get("declined", {}).items():
            self._decline(kind, listed, entries.get("derived", {}).get(kind, {}))
        in_phrases = {
            word
            for first, by_second in self.phrases.items()
            for phrases in by_second.values()
            for behind, _ in phrases
            for word in (first, *behind)
        }
        self._known = frozenset(self.by_word).union(*self.names.values(), in_phrases)
        # "zona" is "żona" rather than "żoną".
        for word in sorted(self._known, key=lambda word: (sum(letter in word for letter in self._letters), word)):
            self.know(word)

    def know(self, word: str) -> None:
        """Have a word be read also where it is typed without the signs on its letters."""
        folded = word.translate(self._plain)
        if folded != word and folded not in self._known and not word.endswith(self._kept):
            self._unfolded.setdefault(folded, word)

    def _tokens(self, sentence: str) -> Iterable[tuple[str, str, int, int]]:
        for text, lower, start, end in super()._tokens(sentence):
            yield text, self._unfolded.get(lower, lower), start, end

    def _longest(self, tokens: list[tuple[str, str, int, int]], at: int) -> tuple[int, set[str]]:
        length, tags = super()._longest(tokens, at)
        return length, tags if tags.isdisjoint(self._verbs) else tags | {"MEVERB"}

    def _kinds_of(self, lower: str) -> set[str]:
        kinds = super()._kinds_of(lower)
        if kinds:
            return kinds
        return {kind for kind, endings in self._endings.items() if len(lower) > _SHORT and lower.endswith(endings)}

    def _decline(self, kind: str, listed: str, derived: Mapping[str, str]) -> None:
        table, _, head = listed.partition(":")
        entries = read_table(table, "zgadka.extract")
        only_capital = frozenset(entries.get(f"{head}_or_word", ()))
        for entry in entries[head]:
            base = entry.replace("_", " ")
            women = (base.removesuffix(man) + woman for man, woman in derived.items() if base.endswith(man))
            for word in (base, *women):
                self._add_forms(kind, word, is_name=entry in only_capital)

    def _add_forms(self, kind: str, base: str, *, is_name: bool) -> None:
        mark = "^" if is_name else ""
        written = base.replace(" + ", " ")
        for form, cases in self._forms(base.casefold()):
            for case in cases:
                # Several are several in the base form too: "koty".
                self._bases[form].append((kind, case, form if case == "p" else written))
            for tag in (kind + mark, *(f"{kind}_{case.upper()}{mark}" for case in cases)):
                if is_name:
                    self.capitalised.add(tag)
                    self.names[tag] |= {form}
                elif " " in form or "-" in form:
                    self.add_phrase(form, tag)
                else:
                    self.by_word[form].add(tag)

    def _forms(self, base: str) -> Iterator[tuple[str, str]]:
        """Yield the forms of a word or a phrase, each with its cases; what is before " + " agrees, the rest stays."""
        if " " not in base and "-" not in base:
            yield from self._forms_of_word(base)
            return
        head, _, complement = base.partition(" + ")
        words = re.split("([ -])", head)
        by_word = [tuple(self._forms_of_word(word)) if word not in (" ", "-") else ((word, "*"),) for word in words]
        ending_words = f" {complement}" if complement else ""
        for forms in product(*by_word):
            shared = "".join(
                case for case in forms[0][1] if all(case in cases or cases == "*" for _, cases in forms[1:])
            )
            if shared:
                yield "".join(form for form, _ in forms) + ending_words, shared

    def _forms_of_word(self, base: str) -> Iterator[tuple[str, str]]:
        yield base, _SURE if base.endswith("a") else _SURE + "a"
        ending = next((base[at:] for at in range(len(base)) if base[at:] in self._declension), None)
        for form in self._declension[ending] if ending is not None else ():
            spelling, _, cases = form.partition("=")
            yield base[: len(base) - len(ending or "")] + spelling.removeprefix("-"), cases

    def rule(self, description: str) -> ValueRule:
        """Return what makes a value: `base KIND|KIND cases`, the base form; `each …`, of each of a list; `dated …`."""
        how, names, cases = description.split()
        kinds = frozenset(names.split("|"))
        if how == "each":
            return lambda text: tuple(
                value for part in self._parts(text) if (value := self.base_in(kinds, part, cases)) is not None
            )
        if how == "dated":
            return lambda text: self._dated(kinds, text, cases)
        return lambda text: self.base_in(kinds, text, cases)

    def _dated(self, kinds: frozenset[str], text: str, cases: str) -> str | None:
        """Make "mam egzamin w piątek" to "egzamin: piątek"."""
        words = text.split()
        when = [word for word in words if word[0].isdigit() or self._is(word, "MONTH", "WEEKDAY", "SOON")]
        event_words = [
            word for word in words if word not in when and not self._is(word, "MEVERB", "MINE", "DOUBT", "ADV")
        ]
        while event_words and self._is(event_words[-1], "FUNC"):
            event_words.pop()
        event = self.base_in(kinds, " ".join(event_words), cases)
        return event and f"{event}: {' '.join(when)}"

    def _parts(self, text: str) -> Sequence[str]:
        return re.split(rf"{_LISTED.pattern}|\s*,?\s+(?:{self._joints})\s+", text)

    def base_in(self, kinds: frozenset[str], text: str, cases: str) -> str | None:
        """Return a text with what it names of some kinds in the base form, the adjectives before it too."""
        value = as_said(text)
        if value is None:
            return None
        words = value.split()
        for start in range(len(words)):
            for end in range(len(words), start, -1):
                base = self._base(kinds, " ".join(words[start:end]).casefold(), cases)
                if base is not None:
                    phrase = (*self._before(words[:start]), base, *self._following(words[end:]))
                    return " ".join(phrase)
        guessed = _replaced(words[-1], self._guesses)
        preceding = words[:-1] if guessed == words[-1] else [_replaced(word, self._adjectives) for word in words[:-1]]
        return " ".join((*preceding, guessed))

    def _before(self, words: Sequence[str]) -> Iterator[str]:
        return (_replaced(word, self._adjectives) for word in words if not self._is(word, *_IDLE))

    def _following(self, words: Sequence[str]) -> Iterator[str]:
        return (self._base(_NAMES, word.casefold(), "an") or _replaced(word, self._behind) for word in words)

    def _is(self, word: str, *kinds: str) -> bool:
        return not self._kinds_of(word.casefold()).isdisjoint(kinds)

    def _base(self, kinds: frozenset[str], text: str, cases: str) -> str | None:
        lower = " ".join(self._unfolded.get(word, word) for word in text.split())
        fitting = [(case, base) for named, case, base in self._bases.get(lower, ()) if named in kinds]
        bases = (base for wanted in cases for case, base in fitting if case == wanted)
        return next(bases, fitting[0][1] if fitting else None)


_SHORT = 4
_IDLE = ("ADV", "FUNC", "DOUBT", "FILLER")
_NAMES = frozenset({"NAME"})


def _replaced(word: str, endings: Mapping[str, str]) -> str:
    for ending, replacement in endings.items():
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word.removesuffix(ending) + replacement
    return word
