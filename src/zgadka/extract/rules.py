"""What a message says of its writer, by rules: English and Ukrainian, precise before complete.

A clause counts only when a known statement fits the whole of it. What is doubted is asked about; questions,
conditions, the past, other people's words, jokes and orders to the machine yield nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from zgadka.extract.items import Extraction, Items
from zgadka.extract.kinds import CERTAIN, UNCERTAIN, group_and_type
from zgadka.extract.languages import ENGLISH, UKRAINIAN, Language
from zgadka.extract.lexicon import any_of
from zgadka.extract.own_words import GAP, OwnWords, UserText, own_words
from zgadka.extract.statement import Told, fits
from zgadka.extract.values import is_template
from zgadka.extract.weigh import runs_on, weigh
from zgadka.model.inference import Inferred

_LONGEST_CLAUSE = 160
_MOST_CLAUSES = 60
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "‘": "'", "`": "'"})
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LATIN = re.compile("[a-zA-Z]")
_TRAILING = re.compile(r"(?:[^\w'’ʼ+#%❤♥\ue000\"]|(?<![\w\s])\ufe0f)+$")
_EMOJI_ONLY = re.compile("[\U0001f300-\U0001faff☕⚽❤]\ufe0f?$")
_LEADING = re.compile(r"^[^\w\ue000$%'\"]+")


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
    whole = " ".join(own.sentences).translate(_APOSTROPHES).casefold()
    if not whole or _holds("order", whole) or any(_holds(head, whole) for head in _NEVER_MEANT):
        return Extraction(cut=own.cut)
    certain: list[Inferred] = []
    uncertain: list[Inferred] = []
    settled = True
    for sentence, behind in zip(own.sentences, (*own.sentences[1:], ""), strict=True):
        # "I have a dog. Had, actually.": the next sentence may take it back.
        told = [] if _TAKING_BACK.fullmatch(_LEADING.sub("", behind)) else list(_told(sentence))
        is_unfinished = sentence.endswith(("...", "…")) and behind[:1].islower()
        # Laughter doubts its own sentence, and standing alone the one before.
        is_laughing = _holds("laughter", sentence.casefold()) or _starts(
            "laughter", _LEADING.sub("", behind.casefold())
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
    plain = " ".join(sentence.translate(_APOSTROPHES).split())
    for language in _languages(plain):
        if _tells_nothing(language.code, plain):
            continue
        found = list(_clauses_tell(language, plain))
        if found:
            yield from found
            return


def _languages(sentence: str) -> tuple[Language, ...]:
    has_cyrillic, has_latin = _CYRILLIC.search(sentence) is not None, _LATIN.search(sentence) is not None
    if has_cyrillic and has_latin:
        return (ENGLISH, UKRAINIAN) if _LATIN.match(_LEADING.sub("", sentence)) else (UKRAINIAN, ENGLISH)
    return (UKRAINIAN,) if has_cyrillic else (ENGLISH,)


def _tells_nothing(code: str, sentence: str) -> bool:
    """Tell whether a whole sentence is no statement, whatever its clauses are."""
    lower = _without_question_back(sentence.casefold())
    start = _LEADING.sub("", lower)
    if _starts(f"supposed_{code}", start):
        return True
    if "?" in lower or any(_holds(f"{kind}_{code}", lower) for kind in ("unreal", "reported", "forget")):
        return True
    return _starts(f"question_{code}", start)


# A question given back does not make the answer before it one: "I live in Riga, and you?"
_AND_YOU = re.compile(
    r"\s*[,.!-]+\s*(?:and |so |but )?(?:what|how|have|do|are|did|where|who|which|is|can|would|any|got"
    r"|ever|wanna)\b[^,?!.]*\b"
    r"(?:you|your|yours|u|ya)\b[^,?!.]*\?+\s*$"
    r"|\s*(?:[,.!]|(?<=\w) (?=and|а))\s*(?:and |so |but )?(?:(?:what|how|where|who) (?:about|is|are) "
    r")?(?:you|u|yours|yourself|your \w+)"
    r"(?: guys| all)?\s*\?+\s*$|\s*,?\s*(?:а|і) (?:ти|ви|в тебе|у тебе|тебе|твій|твоя|як ти)(?: \w+)?\s*\?+\s*$",
    re.IGNORECASE,
)


def _without_question_back(sentence: str) -> str:
    return _AND_YOU.sub("", sentence) if "?" in sentence else sentence


def _clauses_tell(language: Language, sentence: str) -> Iterator[Told]:
    sentence = _without_question_back(sentence)
    clauses = re.split(language.joints, sentence, flags=re.IGNORECASE)
    # "I like jazz, I think": a clause that is nothing but a doubt is about the others.
    stated = [clause for clause in clauses if not _is_doubt(language, clause)]
    is_doubted = len(stated) < len(clauses)
    found: list[Told] = []
    shared = False  # whether the clause before had a subject that this one may share
    for place, clause in enumerate(stated[:_MOST_CLAUSES]):
        told, undone = _clause_or_parts(language, clause, shared=shared, first=place == 0)
        if undone:
            return
        shared = _is_of_self(told)
        found += told
    yield from (replace(one, sure=False) for one in found) if is_doubted else found


def _clause_or_parts(language: Language, clause: str, *, shared: bool, first: bool) -> tuple[tuple[Told, ...], bool]:
    """Return what a clause tells as a whole, else what its parts do; and whether one of these takes it all back."""
    bare = _bare(language, clause)
    told = _part_tells(language, bare, shared=shared, first=first)
    if told or not _PARTED.search(clause):
        return told, _UNDOING.fullmatch(bare) is not None
    for comma in (language.comma, language.dash):
        told, undone = _parts_tell(language, re.split(comma, bare), shared=shared, first=first)
        if told or undone:
            return told, undone
    return (), False


def _parts_tell(language: Language, clauses: list[str], *, shared: bool, first: bool) -> tuple[tuple[Told, ...], bool]:
    parts = [part for part in (_bare(language, part) for part in clauses) if part]
    found: list[Told] = []
    for place, part in enumerate(parts[:_MOST_PARTS]):
        if _UNDOING.fullmatch(part):
            return (), True
        told = _part_tells(language, part, shared=shared, first=first and place == 0)
        shared = _is_of_self(told) or (shared and place > 0 and not told) or _INTRODUCED.fullmatch(part) is not None
        found += told
    if any(_is_doubt(language, part) for part in parts):
        found = [replace(one, sure=False) for one in found]
    return tuple(found), False


_TAKING_BACK = re.compile(
    r"(?:not|nope|psych|had|was|were|well|or not|joke|wait|jk|just kidding|no|or \w+|я пожартував|я "
    r"пожартувала|ну|точніше|тобто|мав|мала|була?|ні"
    r"|а, ні|стоп|хоча ні|або ні)[,. !…]*(?:no|not|actually|\d+|really|technically|wait|ні|стривай|не зовсім)?[. !)…]*",
    re.IGNORECASE,
)


def _is_of_self(told: tuple[Told, ...]) -> bool:
    """Whether the next clause may share the subject: after "I have a cat" it may be the cat's."""
    return any(group_and_type(one.key)[1] != "relationship" and one.key != "pet" for one in told)


_PARTED = re.compile(r"[,:(–—]| -")
_MOST_PARTS = 12
_INTRODUCED = re.compile(r"(?:i'm|i am|я|це|this is) [^\W\d_]+(?: here)?", re.IGNORECASE)
# "I'm a doctor, not": what stands alone behind a statement and means the opposite.
_UNDOING = re.compile(
    r"(?:not|nah|nope|psych|as if|or not|or so (?:i|they|he|she)\b.*|in theory|said no ?one(?: ever)?|yeah right"
    r"|hahaha no|but no|or rather\b.*|or maybe not|what a joke|я? ?ніби|аякже|де там|ага|ні|а може й ні|в теорії"
    r"|сказав ніхто|сказала ніхто|or\b.*|або\b.*|чи\b.*)",
    re.IGNORECASE,
)


def _is_doubt(language: Language, clause: str) -> bool:
    return _doubt(language.code).fullmatch(_bare(language, clause)) is not None


def _part_tells(language: Language, bare: str, *, shared: bool, first: bool) -> tuple[Told, ...]:
    if not bare or len(bare) > _LONGEST_CLAUSE:
        return ()
    told = _clause_tells(language, bare)
    if not told and (shared or (first and _begins(language.elliptic, bare))):
        tries = (_clause_tells(language, subject + bare) for subject in language.subjects[: None if first else -1])
        told = next(filter(None, tries), ())
    return told


def _clause_tells(language: Language, clause: str) -> tuple[Told, ...]:
    lower = clause.casefold()
    sure = True
    if _doubt(language.code).search(lower):
        clause = _bare(language, " ".join(_doubt(language.code).sub(" ", clause).split()))
        sure = False
    if _POSSIBLY.match(clause):
        clause = _POSSIBLY.sub(lambda found: "i'm " if found[1].casefold() == "be" else "i have ", clause)
        sure = False
    fitting = _fitting(language, clause)
    told = tuple(one for said in fitting if not is_template(said.value) and (one := weigh(said, clause)) is not None)
    if any(runs_on(one) for one in fitting):
        return ()
    # "a singer at heart": where one value is an idiom, the others of that statement hardly are meant.
    sure = sure and len(told) == len(fitting)
    if told and not sure:
        return tuple(replace(one, sure=False) for one in told)
    if (
        told
        and _holds(f"past_{language.code}", _SINCE_THEN.sub("", lower))
        and not any(one.key in _OF_THE_PAST for one in told)
    ):
        return ()
    return told


_POSSIBLY = re.compile(r"^i (?:might|may|must) (?:also |just |actually )?(be|have) (?=\w)", re.IGNORECASE)
_SINCE_THEN = re.compile(r"\b(?:since (?:i|we) (?:was|were)|з того часу,? як)\b.*|,? в якому була\b.*")
_OF_THE_PAST = frozenset(
    {"birthday", "birthplace", "birth_year", "hometown", "education", "goal", "father", "mother", "brother", "sister"}
)


def _fitting(language: Language, clause: str) -> tuple[Told, ...]:
    if GAP in clause:
        # A title in quotation marks can be somebody's favourite; everything else between them is somebody else's.
        if clause.count(GAP) != 2 or not clause.endswith(GAP):
            return ()
        told = tuple(one for tell in language.tells for one in tell(clause.replace(GAP, "")))
        return told if all(one.key.startswith("favorite_") for one in told) else ()
    for tell in language.tells:
        if told := tell(clause):
            return told
    return next((told for statement in language.statements if (told := statement.tell(clause))), ())


def _bare(language: Language, clause: str) -> str:
    """Return a clause without edges, greetings and fillers, known slips corrected."""
    bare = _trimmed(_anywhere("laughter").sub(" ", clause))
    lead, tail = _lead(language.lead), _tail(language.tail)
    while (shorter := _LEADING.sub("", lead.sub("", bare, count=1))) != bare:
        bare = shorter
    while (shorter := _trimmed(tail.sub("", bare))) != bare:
        bare = shorter
    for slip, right in language.slips:
        bare = _pattern(slip).sub(right, bare)
    return bare


def _trimmed(clause: str) -> str:
    trimmed = _TRAILING.sub("", clause.strip())
    # "I love 🍕": the sign is what is loved, not decoration.
    if _EMOJI_ONLY.search(clause.strip()) and fits(
        r"(?:i (?:really )?(?:love|like)|(?:я )?(?:дуже )?(?:люблю|обожнюю))", trimmed
    ):
        return clause.strip()
    return trimmed


def _excerpt(sentence: str) -> str:
    return " ".join(sentence.replace(GAP, '"').split())[:300]


def _is_about_self(sentence: str) -> bool:
    return _SELF.search(sentence) is not None


_SELF = re.compile(
    (
        r"\b(?:i|i'm|i’m|im|i've|my|me|mine|we|our|я|мене|мені|мій|моя|моє|мої|мого|мою|ми|наш|наша|\w+ю|"
        r"\w+юся)\b"
    ),
    re.IGNORECASE,
)


def _holds(head: str, text: str) -> bool:
    return _anywhere(head).search(text) is not None


def _starts(head: str, text: str) -> bool:
    return _anywhere(head).match(text) is not None


@cache
def _anywhere(head: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){any_of(head, 'cues')}(?!\w)", re.IGNORECASE)


@cache
def _doubt(code: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?<!першого )(?<!другого ){any_of(f'doubt_{code}', 'cues')}(?!\w),?", re.IGNORECASE)


@cache
def _lead(words_before: str) -> re.Pattern[str]:
    return re.compile(rf"^{words_before}(?:,|!|\.|:|\.\.\.| [-–—])? +", re.IGNORECASE)


@cache
def _tail(words_behind: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=\w)(?:{words_behind})$", re.IGNORECASE)


def _begins(pattern: str, clause: str) -> bool:
    return _pattern(pattern).match(clause) is not None


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
