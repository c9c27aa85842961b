"""A form about oneself, "name: Kevin, age: 29" or one line each, as the sentences it stands for."""

from __future__ import annotations

import re

from zgadka.extract.lexicon import named_pattern, words
from zgadka.text.word_lists import read_heads, read_table

_SHORT = 6  # words of a value
# One of these has to be there: "job: driver, city: Riga" is an offer.
_OF_A_PERSON = frozenset({"name", "age", "birthday", "hobby", "pronouns"})
_AGE = re.compile(r"\d{1,2}(?: ?(?:years? old|y/?o|yrs?|років|роки|рік))?", re.IGNORECASE)
_NOBODYS = re.compile(r"[_<>{}\[\]\ue000]|\.{2}|\?")


SECTION = re.compile(r"\s*[a-z_]+:\s*")


def as_sentences(lines: list[str]) -> list[str]:
    """Return the lines, those of a form as sentences; without it where it is not one that somebody filled in.

    A form has two lines of a person at least, and no line that people do not have: "name: web" and "port: 80" is none.
    """
    read = [_filled(line) for line in lines]
    fields = [field for pairs in read if pairs for field in pairs]
    kinds = [label.rpartition("_")[0] for label, _ in fields]
    if not any(kinds):
        return lines
    is_of_person = (
        len(set(kinds)) > 1
        and not any(map(SECTION.fullmatch, lines))  # "user:", and its entries below: a configuration
        and not _OF_A_PERSON.isdisjoint(kinds)
        and all(kinds)
        and all(_AGE.fullmatch(value) for label, value in fields if label.startswith("age_"))
        and not any(
            named_pattern("of_another").match(line) for line, pairs in zip(lines, read, strict=True) if pairs is None
        )
    )
    sentences: list[str] = []
    for line, pairs in zip(lines, read, strict=True):
        if pairs is None or len(kinds) == 1:
            sentences.append(line)
        elif is_of_person:
            said_as = read_table("form_sentences", "zgadka.extract")
            sentences += [" ".join(said_as[label]).format(value) for label, value in pairs if label in said_as]
    return sentences


def _filled(line: str) -> list[tuple[str, str]] | None:
    """Return what each part of a line is, such as `name_en`, and its value, if all of it is parts of a form."""
    bare = _LEAD.sub("", line.replace("’", "'").replace("ʼ", "'")).strip()
    parts = [part for part in re.split(r"\s*[,;|/]\s*(?=[^\W\d_][\w' ]{1,24}?\s*[:–—-]\s)|\s*[|;]\s*", bare) if part]
    fields: list[tuple[str, str]] = []
    for part in parts:
        fit = _PART.fullmatch(part.rstrip(" .,!"))
        if fit is None:
            return None
        label = read_heads("labels", "zgadka.extract").get("_".join(fit[1].casefold().split()), ("",))[-1]
        if not label and fit[2].strip() != ":":
            return None
        value = fit[3].strip()
        if not label and _FAVORITE.match(fit[1].casefold()):
            label, value = "favorite_any", f"{fit[1]}: {value}"
        if len(value.split()) > _SHORT or _NOBODYS.search(value):
            return None
        fields.append((label, value))
    labels = [label for label, _ in fields if label]
    if labels == ["favorite_any"]:
        return None
    return fields if labels or (len(fields) == 1 and _is_strange(bare)) else None


def _is_strange(line: str) -> bool:
    """Whether a line is one of a form that is not about its writer: "Suspect: John", "image: nginx"."""
    label = line.partition(":")[0].casefold().strip()
    return label not in words("own_prefix", "cues") and not _FAVORITE.match(label) and len(label.split()) < _SHORT


_LEAD = re.compile(r"^[^\w]+|^(?:about me|про мене|коротко про (?:себе|мене)|анкета)\s*[:–—-]\s*", re.IGNORECASE)
_PART = re.compile(r"([^\W\d_][^\W\d_' -]*(?:[' -][^\W\d_]+){0,3}?)(\s*:\s*|\s+[–—-]\s+)(\S.*)")
_FAVORITE = re.compile(r"(?:my |мо\w+ |мій )?(?:(?:all-time )?fav|(?:най)?улюблен)")
