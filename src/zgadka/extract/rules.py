"""What a message says of its writer, by rules: English and Ukrainian, precise before complete.

A clause counts only when a known statement fits the whole of it. What is doubted is asked about; questions,
conditions, the past, other people's words, jokes and orders to the machine yield nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from zgadka.extract.clause import LEADING, forget_clauses, holds_cue, starts_with_cue
from zgadka.extract.items import Extraction, Items
from zgadka.extract.kinds import CERTAIN, UNCERTAIN, group_and_type
from zgadka.extract.languages import ENGLISH, UKRAINIAN, Language
from zgadka.extract.own_words import GAP, OwnWords, UserText, own_words
from zgadka.extract.sentence import SELF, clauses_tell
from zgadka.extract.slips import mended
from zgadka.extract.statement import Told
from zgadka.model.inference import Inferred

_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "‘": "'", "`": "'"})
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LATIN = re.compile("[a-zA-Z]")


def extract(message: str | UserText) -> Extraction:
    """Return what a person says of themselves in a message.

    Args:
        message: Only what the person wrote; there is no place for the assistant's words. `UserText` also says what of
            it is quoted, forwarded or repeated.
    """
    own = own_words(UserText(text=message) if isinstance(message, str) else message)
    return extract_from(own)


_NEVER_MEANT = ("joke_en", "joke_uk", "staged_en", "staged_uk")


def extract_from(own: OwnWords) -> Extraction:
    """Return what somebody says of themselves in their own words."""
    try:
        return _extract_from(own)
    finally:
        forget_clauses()  # nothing that somebody wrote stays


def _extract_from(own: OwnWords) -> Extraction:
    whole = " ".join(own.sentences).translate(_APOSTROPHES).casefold()
    if not whole or holds_cue("order", whole) or any(holds_cue(head, whole) for head in _NEVER_MEANT):
        return Extraction(cut=own.cut)
    certain: list[Inferred] = []
    uncertain: list[Inferred] = []
    settled = True
    for sentence, behind in zip(own.sentences, (*own.sentences[1:], ""), strict=True):
        # "I have a dog. Had, actually.": the next sentence may take it back.
        told = [] if _TAKING_BACK.fullmatch(LEADING.sub("", behind)) else list(_told(sentence))
        is_unfinished = sentence.endswith(("...", "…")) and behind[:1].islower()
        # Laughter doubts its own sentence, and standing alone the one before.
        is_laughing = holds_cue("laughter", sentence.casefold()) or starts_with_cue(
            "laughter", LEADING.sub("", behind.casefold())
        )
        settled = settled and (bool(told) or not _is_about_self(sentence))
        for one in told:
            sure = one.sure and not is_laughing and not is_unfinished
            item = Inferred(
                type=group_and_type(one.key)[1],
                key=one.key,
                value=one.value,
                excerpt=_excerpt(sentence),
                confidence=CERTAIN if sure else UNCERTAIN,
            )
            (certain if sure else uncertain).append(item)
    sure_items = Items.of(certain)
    known = {(item.key, item.value.casefold()) for item in sure_items}
    doubtful = [item for item in uncertain if (item.key, item.value.casefold()) not in known]
    return Extraction(certain=sure_items, uncertain=Items.of(doubtful), settled=settled, cut=own.cut)


def _told(sentence: str) -> Iterator[Told]:
    """Yield what a sentence tells."""
    plain = mended(" ".join(sentence.translate(_APOSTROPHES).split()))
    for language in _languages(plain):
        if _tells_nothing(language.code, plain):
            continue
        found = list(clauses_tell(language, _without_question_back(plain)))
        if found:
            yield from found
            return


def _languages(sentence: str) -> tuple[Language, ...]:
    has_cyrillic, has_latin = _CYRILLIC.search(sentence) is not None, _LATIN.search(sentence) is not None
    if has_cyrillic and has_latin:
        return (ENGLISH, UKRAINIAN) if _LATIN.match(LEADING.sub("", sentence)) else (UKRAINIAN, ENGLISH)
    return (UKRAINIAN,) if has_cyrillic else (ENGLISH,)


def _tells_nothing(code: str, sentence: str) -> bool:
    """Tell whether a whole sentence is no statement, whatever its clauses are."""
    lower = _without_question_back(sentence.casefold())
    start = LEADING.sub("", lower)
    if starts_with_cue(f"supposed_{code}", start):
        return True
    if "?" in lower or any(holds_cue(f"{kind}_{code}", lower) for kind in ("unreal", "reported", "forget")):
        return True
    return starts_with_cue(f"question_{code}", start)


# A question given back does not make the answer before it one: "I live in Riga, and you?"
_AND_YOU = re.compile(
    r"\s*[,.!-]+\s*(?:and |so |but )?(?:what|how|have|do|are|did|where|who|which|is|can|would|any|got"
    r"|ever|wanna)\b[^,?!.]*\b"
    r"(?:you|your|yours|u|ya)\b[^,?!.]*\?+\s*$"
    r"|\s*(?:[,.!]|(?<=\w) (?=and|а))\s*(?:and |so |but )?(?:(?:what|how|where|who) (?:about|is|are) "
    r")?(?:you|u|yours|yourself|your \w+)"
    r"(?: guys| all)?\s*\?+\s*$"
    r"|\s*[,.!]\s*(?:(?:чи )?(?:можна|можу|підкажіть|порадьте|хто|є хтось|є тут|чи є)|(?:can|could|may) (?:i|we|someone"
    r"|anyone)|(?:is|are) (?:there|it)|any(?:one|body)?)\b[^,?!.]*\?+\s*$|\s*,?\s*(?:а|і) (?:ти|ви|в тебе|у тебе"
    r"|тебе|твій|твоя|як ти)(?: \w+)?\s*\?+\s*$",
    re.IGNORECASE,
)


def _without_question_back(sentence: str) -> str:
    return _AND_YOU.sub("", sentence) if "?" in sentence else sentence


_TAKING_BACK = re.compile(
    r"(?:not|nope|psych|had|was|were|well|or not|joke|wait|jk|just kidding|no|or \w+|я пожартував|я "
    r"пожартувала|ну|точніше|тобто|мав|мала|була?|ні"
    r"|а, ні|стоп|хоча ні|або ні)[,. !…]*(?:no|not|actually|\d+|really|technically|wait|ні|стривай|не зовсім)?[. !)…]*",
    re.IGNORECASE,
)


def _excerpt(sentence: str) -> str:
    return " ".join(sentence.replace(GAP, '"').split())[:300]


def _is_about_self(sentence: str) -> bool:
    return SELF.search(sentence) is not None
