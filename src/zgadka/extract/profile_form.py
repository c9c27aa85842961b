"""A form about oneself, "name: Kevin, age: 29" or one line each, as the sentences it stands for."""

from __future__ import annotations

import re
from functools import cache

from zgadka.extract.lexicon import named_pattern, words
from zgadka.text.word_lists import read_table

_SHORT = 6  # words of a value
# One of these has to be there: "job: driver, city: Riga" is an offer.
_OF_A_PERSON = frozenset({"name", "age", "birthday", "hobby", "pronouns"})
_AGE = re.compile(r"\d{1,2}(?: ?(?:years? old|y/?o|yrs?|років|роки|рік))?", re.IGNORECASE)
_NOBODYS = re.compile(r"[_<>{}\[\]\ue000]|\.{2}|\?")


def as_sentences(lines: list[str]) -> list[str]:
    """Return the lines, those of a form as sentences; without it where it is not one that somebody filled in.

    A form has two lines of a person at least, and no line that people do not have: "name: web" and "port: 80" is none.
    """
    read = [_filled(line) for line in lines]
    kinds = [kind for pairs in read if pairs for _, kind, _ in pairs]
    if not any(kinds):
        return lines
    is_of_person = (
        len(set(kinds)) > 1
        and not _OF_A_PERSON.isdisjoint(kinds)
        and None not in kinds
        and all(_AGE.fullmatch(value) for pairs in read if pairs for _, kind, value in pairs if kind == "age")
        and not any(
            named_pattern("of_another").match(line) for line, pairs in zip(lines, read, strict=True) if pairs is None
        )
    )
    sentences: list[str] = []
    for line, pairs in zip(lines, read, strict=True):
        if pairs is None or (len(kinds) == 1 and kinds[0] is not None):
            sentences.append(line)
        elif is_of_person:
            said_as = read_table("form_sentences", "zgadka.extract")
            sentences += [
                " ".join(said_as[head]).format(value)
                for code, kind, value in pairs
                if (head := f"{kind}_{code}") in said_as
            ]
    return sentences


def _filled(line: str) -> list[tuple[str, str | None, str]] | None:
    """Return language, kind and value of each part of a line, if all of it is parts of a form."""
    bare = _LEAD.sub("", line.replace("’", "'").replace("ʼ", "'")).strip()
    parts = [part for part in re.split(r"\s*[,;|/]\s*(?=[^\W\d_][\w' ]{1,24}?\s*[:–—-]\s)|\s*[|;]\s*", bare) if part]
    fields: list[tuple[str, str | None, str]] = []
    for part in parts:
        fit = _PART.fullmatch(part.rstrip(" .,!"))
        if fit is None:
            return None
        label = _labels().get(" ".join(fit[1].casefold().split()))
        if label is None and fit[2].strip() != ":":
            return None
        value = fit[3].strip()
        if label is None and _FAVORITE.match(fit[1].casefold()):
            label, value = ("any", "favorite"), f"{fit[1]}: {value}"
        if len(value.split()) > _SHORT or _NOBODYS.search(value):
            return None
        code, kind = label or ("", None)
        fields.append((code, kind, value))
    kinds = [kind for _, kind, _ in fields if kind is not None]
    if kinds == ["favorite"]:
        return None
    return fields if kinds or (len(fields) == 1 and _is_strange(bare)) else None


def _is_strange(line: str) -> bool:
    """Whether a line is one of a form that is not about its writer: "Suspect: John", "image: nginx"."""
    label = line.partition(":")[0].casefold().strip()
    return label not in words("own_prefix", "cues") and not _FAVORITE.match(label) and len(label.split()) < _SHORT


_LEAD = re.compile(r"^[^\w]+|^(?:about me|про мене|коротко про (?:себе|мене)|анкета)\s*[:–—-]\s*", re.IGNORECASE)
_PART = re.compile(r"([^\W\d_][^\W\d_' -]*(?:[' -][^\W\d_]+){0,3}?)(\s*:\s*|\s+[–—-]\s+)(\S.*)")
_FAVORITE = re.compile(r"(?:my |мо\w+ |мій )?(?:(?:all-time )?fav|(?:най)?улюблен)")


@cache
def _labels() -> dict[str, tuple[str, str]]:
    heads = read_table("labels", "zgadka.extract")
    return {
        word: (head.rpartition("_")[2], head.rpartition("_")[0]) for head in heads for word in words(head, "labels")
    }
