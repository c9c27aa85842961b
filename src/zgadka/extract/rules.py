"""What a message says of its writer, by rules: English and Ukrainian, precise before complete.

A clause counts only when a known statement fits the whole of it. What is doubted is asked about; questions,
conditions, the past, other people's words, jokes and orders to the machine yield nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from zgadka.extract import english, ukrainian
from zgadka.extract.items import Extraction, Items
from zgadka.extract.kinds import CERTAIN, UNCERTAIN, group_and_type
from zgadka.extract.lexicon import any_of, words
from zgadka.extract.own_words import GAP, OwnWords, UserText, own_words
from zgadka.extract.statement import Statement, Told, fits
from zgadka.extract.values import is_template
from zgadka.model.inference import Inferred

_LONGEST_CLAUSE = 160
_MOST_CLAUSES = 60
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "‘": "'", "`": "'"})
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LATIN = re.compile("[a-zA-Z]")
_TRAILING = re.compile(r"(?:[^\w'’ʼ+#%❤♥\ue000\"]|(?<![\w\s])\ufe0f)+$")
_EMOJI_ONLY = re.compile("[\U0001f300-\U0001faff☕⚽❤]\ufe0f?$")
_LEADING = re.compile(r"^[^\w\ue000$%'\"]+")


@dataclass(frozen=True)
class _Language:
    """One language's rules.

    Attributes:
        tells: Each returns what a clause tells, empty when it does not fit.
        lead: What may stand before a statement and means nothing.
        joints: Where a sentence is cut into clauses.
        subject: Put before a clause that leaves its subject out.
        head: A clause whose subject the next one may share.
    """

    code: str
    statements: tuple[Statement, ...]
    tells: tuple[Callable[[str], tuple[Told, ...]], ...]
    lead: str
    joints: str
    subjects: tuple[str, ...]
    slips: tuple[tuple[str, str], ...]


_ENGLISH = _Language(
    code="en",
    statements=english.ENGLISH,
    tells=(english.family, english.favorite),
    lead=r"(?:well|so|ok|okay|oh|hey|hi|hello|good (?:morning|evening|afternoon|day)|by the way|btw|anyway|fyi|"
    r"just so you know|you know|and"
    r"|also|but|yes|yeah|yep|no|nope|thanks|thank you|hi there|hello there|hey there|actually|honestly|"
    r"personally|as for me|me too|same here|nice"
    r"|cool|great|wow|haha|lol|please|then|me|myself|in fact|for me|right|sure|of course|remember(?: that)"
    r"?|please remember(?: that)?"
    r"|please note(?: that)?|note that|keep in mind(?: that)?|i am telling you|i can tell you(?: that)?|"
    r"the thing is|a bit about me"
    r"|about me|oh and|and yes|now|today|right now|currently|at the moment|these days|i must say|i have to say)",
    joints=r",? (?:and|but|so|while|also|plus) (?=(?:i|i'm|i've|my|we|our|call me|now i|im|also i)\b)"
    r"|(?<!now)(?<!days)(?<!time)(?<!nurse), (?=(?:i|i'm|i've|my|we|our|call me|now i|im|originally)\b)"
    r"|,? (?:and|but) (?=(?:am|work|live|study|play|speak|have|love|like|hate|enjoy|want|prefer|drive|collect)\b \w)"
    r"|(?:,| -| –| —) (?=(?:but|and) )|, (?=(?:married|single|divorced|now)\b)",
    subjects=("i ", "i'm ", "i am "),
    slips=(
        (r" (?='(?:m|s|ve|d|ll|re)\b)", ""),
        (r"^im ", "i'm "),
        (r"^ive ", "i've "),
        (r"^i dont ", "i don't "),
        (r"^i cant ", "i can't "),
        (r"^i liv ", "i live "),
        (r"^i wrok ", "i work "),
        (r"^my nmae ", "my name "),
        (r"\bfavrite\b", "favorite"),
        (r"^i'm a huge ", "i'm a "),
        (r"^i do not ", "i don't "),
        (r"^i am not ", "i'm not "),
    ),
)
_UKRAINIAN = _Language(
    code="uk",
    statements=ukrainian.UKRAINIAN,
    tells=(ukrainian.family,),
    lead=r"(?:ну|ой|о|так от|отже|слухай|слухайте|до речі|взагалі|привіт|вітаю|добрий день|добрий вечір|"
    r"доброго дня|доброго ранку|доброго"
    r" вечора|хай|і|й|а|а ще|ще|але|та|так|ні|ага|дякую|звісно|чесно|насправді|особисто|я теж|і я|будь "
    r"ласка|запам'ятай,? що|запам'ятай"
    r"|май на увазі,? що|знай,? що|зазнач,? що|щодо мене|про мене|коротко|ого|вау|ахах|а от|от|оце|тепер|"
    r"зараз|нині|добре|ок|окей|ok|hi|hello|привітик)",
    joints=r",? (?:і|й|та|а|але|бо|тому|а ще|а також|but|and) (?=(?:я|мене|мені|моє|моя|мій|мої|живу|граю|люблю|"
    r"працюю|ненавиджу|вивчаю|вчуся|маю|хочу|не люблю|в мене|у мене|тепер живу"
    r"|work|live)\b)|(?<!насправді)(?<!взагалі-то)(?<!тепер)(?<!зараз)(?<!медсестра), (?=(?:а |але |і |та "
    r")?(?:я|мене|мені|моє|моя|мій|мої|живу|граю|люблю|працюю|ненавиджу"
    r"|вивчаю|вчуся|маю|хочу|в мене|у мене|в нас|тепер)\b)",
    subjects=("я ",),
    slips=(
        (r"^я жыву ", "я живу "),
        (r"^нелюблю ", "не люблю "),
        (r"^я нелюблю ", "я не люблю "),
        (r"^працую ", "працюю "),
        (r"^обажнюю ", "обожнюю "),
        (r"улюблиний", "улюблений"),
    ),
)


def extract(message: str | UserText) -> Extraction:
    """Return what a person says of themselves in a message.

    Args:
        message: Only what the person wrote; there is no place for the assistant's words. `UserText` also says what of
            it is quoted, forwarded or repeated.
    """
    own = own_words(UserText(text=message) if isinstance(message, str) else message)
    return extract_from(own)


def extract_from(own: OwnWords) -> Extraction:
    """Return what somebody says of themselves in their own words."""
    whole = " ".join(own.sentences).translate(_APOSTROPHES).casefold()
    if not whole or _holds("order", whole) or any(_holds(f"joke_{code}", whole) for code in ("en", "uk")):
        return Extraction(cut=own.cut)
    is_laughing = _holds("laughter", whole)
    certain: list[Inferred] = []
    uncertain: list[Inferred] = []
    settled = True
    for sentence in own.sentences:
        told = list(_told(sentence))
        settled = settled and (bool(told) or not _is_about_self(sentence))
        for one in told:
            sure = one.sure and not is_laughing
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


def _languages(sentence: str) -> tuple[_Language, ...]:
    has_cyrillic, has_latin = _CYRILLIC.search(sentence) is not None, _LATIN.search(sentence) is not None
    if has_cyrillic and has_latin:
        return (_ENGLISH, _UKRAINIAN) if _LATIN.match(_LEADING.sub("", sentence)) else (_UKRAINIAN, _ENGLISH)
    return (_UKRAINIAN,) if has_cyrillic else (_ENGLISH,)


def _tells_nothing(code: str, sentence: str) -> bool:
    """Tell whether a whole sentence is no statement, whatever its clauses are."""
    lower = sentence.casefold()
    start = _LEADING.sub("", lower)
    if _starts(f"supposed_{code}", start):
        return True
    if "?" in sentence or any(_holds(f"{kind}_{code}", lower) for kind in ("unreal", "reported", "forget")):
        return True
    return _starts(f"question_{code}", start)


def _clauses_tell(language: _Language, sentence: str) -> Iterator[Told]:
    clauses = re.split(language.joints, sentence, flags=re.IGNORECASE)
    # "I like jazz, I think": a clause that is nothing but a doubt is about the others.
    stated = [clause for clause in clauses if not _doubt(language.code).fullmatch(_bare(language, clause))]
    is_doubted = len(stated) < len(clauses)
    shared = False  # whether the clause before had a subject that this one may share
    for clause in stated[:_MOST_CLAUSES]:
        bare = _bare(language, clause)
        told: tuple[Told, ...] = ()
        if bare and len(bare) <= _LONGEST_CLAUSE:
            told = _clause_tells(language, bare)
            if not told and shared:
                tries = (_clause_tells(language, subject + bare) for subject in language.subjects)
                told = next(filter(None, tries), ())
        shared = bool(told)
        yield from (replace(one, sure=False) for one in told) if is_doubted else told


def _clause_tells(language: _Language, clause: str) -> tuple[Told, ...]:
    lower = clause.casefold()
    sure = True
    if _doubt(language.code).search(lower):
        clause = _bare(language, " ".join(_doubt(language.code).sub(" ", clause).split()))
        sure = False
    told = tuple(_weighed(one) for one in _fitting(language, clause) if not is_template(one.value))
    if told and not sure:
        return tuple(replace(one, sure=False) for one in told)
    if told and _holds(f"past_{language.code}", lower) and not any(one.key in _OF_THE_PAST for one in told):
        return ()
    return told


_OF_THE_PAST = frozenset(
    {"birthday", "birthplace", "birth_year", "hometown", "education", "goal", "father", "mother", "brother", "sister"}
)


def _weighed(told: Told) -> Told:
    """Doubt a name in small letters that nobody is known to have: "my name is mud"."""
    is_odd = told.key == "name" and told.value.islower() and told.value.split()[0] not in words("name")
    return replace(told, sure=False) if is_odd else told


def _fitting(language: _Language, clause: str) -> tuple[Told, ...]:
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


def _bare(language: _Language, clause: str) -> str:
    """Return a clause without edges, greetings and fillers, known slips corrected."""
    bare = _trimmed(_anywhere("laughter").sub(" ", clause))
    pattern = _lead(language.lead)
    while (shorter := _LEADING.sub("", pattern.sub("", bare, count=1))) != bare:
        bare = shorter
    for slip, right in language.slips:
        bare = re.sub(slip, right, bare, flags=re.IGNORECASE)
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
