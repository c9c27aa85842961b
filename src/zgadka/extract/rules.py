"""What a message says of its writer, by rules: English and Ukrainian, precise before complete.

A message in a language that is only files goes to `listed.py`.

A clause counts only when a known statement fits the whole of it. What is doubted is asked about; questions,
conditions, the past, other people's words, jokes and orders to the machine yield nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from zgadka.extract.answer_wishes import is_lasting, may_wish, read_wishes, with_wishes
from zgadka.extract.authored_text import GAP, OwnWords, UserText, own_words
from zgadka.extract.clause import (
    LANGUAGES,
    LEADING,
    before_cues,
    holds_cue,
    is_doubt,
    is_filler,
    is_hedged,
    starts_with_cue,
    without_doubts,
)
from zgadka.extract.extraction import UNCERTAIN, Extraction, group_and_type, inferred
from zgadka.extract.frames import SINCE_CHILDHOOD, read_frames, with_frames
from zgadka.extract.introductions import read_introduction
from zgadka.extract.languages import Language
from zgadka.extract.latin_ukrainian import in_cyrillic, in_latin, is_latin_ukrainian
from zgadka.extract.lexicon import CYRILLIC, named_pattern, words
from zgadka.extract.listed import listed_language, read_listed, weigh_listed
from zgadka.extract.manner import manner, without_question, without_question_back
from zgadka.extract.memory import forgetting, remembered
from zgadka.extract.nominatives import allergens_uk, in_base
from zgadka.extract.pattern import Candidate
from zgadka.extract.places import JOINERS
from zgadka.extract.plausibility import assess, runs_on
from zgadka.extract.sentence import SELF, clause_of, parse_sentence
from zgadka.extract.subject import Subject, mentions_another, next_subject, sentence_subject, weigh_subject, whose
from zgadka.extract.typos import mended
from zgadka.extract.unmeant import meant, own_of
from zgadka.extract.wishes import OBJECTS, animal, nominative_object, workplace_nominative
from zgadka.extract.within import introduces, read_within
from zgadka.model.inference import Inferred
from zgadka.text.folding import APOSTROPHES
from zgadka.text.off_record import may_be_off_record
from zgadka.text.words import index_words

_LATIN = re.compile("[a-zA-Z]")


def extract(message: str | UserText | OwnWords) -> Extraction:
    """Return what a person says of themselves in a message.

    Args:
        message: Only what the person wrote; there is no place for the assistant's words. `UserText` also says what of
            it is quoted, forwarded or repeated.
    """
    with forgetting():
        return _extract_from(message if isinstance(message, OwnWords) else own_words(message))


def _extract_from(own: OwnWords) -> Extraction:
    if is_impersonal(own):
        return Extraction(cut=own.cut)
    is_off_record = may_be_off_record(own.text)
    if (code := listed_language(own)) is not None:
        return Extraction(cut=own.cut, settled=True) if is_off_record else read_listed(code, own)
    items: list[Inferred] = []
    settled = True
    read = own.sentences[:_MOST_SENTENCES]
    silent: list[str] = []
    subject: Subject = "nobody"
    introduced = False
    introduction = _parse_introduction(own)
    sentences = ["", *map(_plain, read), ""]
    doubts = [[language for language in _languages(plain) if is_hedged(language, plain)] for plain in sentences]
    mere = [
        any(is_doubt(language, plain) for language in hedged) for plain, hedged in zip(sentences, doubts, strict=True)
    ]
    for number, sentence in enumerate(read, 1):
        plain, following = sentences[number : number + 2]
        # "I have a dog. Had, actually.": the next sentence may take it back.
        is_taken_back = named_pattern("taking_back").fullmatch(LEADING.sub("", following)) is not None
        candidates = () if is_taken_back else _parse(plain, subject, hedged=bool(doubts[number]))
        within: tuple[Candidate, ...] = (
            ()
            if is_taken_back
            else _parse_within(plain, subject, candidates, hedged=bool(doubts[number]), introduced=introduced)
        )
        candidates = _joined(candidates, within)
        is_of_nobody = subject == "other" and _EXCLAIMED.fullmatch(" ".join(sentences[1:number])) is not None
        by_kind = (
            ()
            if is_taken_back or number > _MOST_BY_KIND
            else _parse_frames(
                plain,
                _frame_subject(plain, "nobody" if is_of_nobody else subject),
                hedged=bool(doubts[number]),
                may_hint=not mentions_another(following),
            )
        )
        candidates = with_frames(candidates, by_kind, in_base=CYRILLIC.search(plain) is not None)
        if not is_taken_back and number <= _MOST_BY_KIND:
            candidates = with_wishes(candidates, _parse_wishes(sentences, number, hedged=bool(doubts[number])))
        if number == 1 and introduction:
            candidates = with_frames(candidates, introduction)
        candidates = meant(_each_allergen(_without_aims(candidates)), plain)
        if number == 1:
            candidates = own_of(candidates, plain, following)
        introduced = introduces(candidates)
        if number < len(read) and not any(is_filler(language, plain) for language in _languages(plain)):
            subject = next_subject(plain, candidates, subject)
        is_unfinished = sentence.endswith(("...", "…")) and following[:1].islower()
        # Laughter doubts its own sentence, and standing alone the one before.
        is_laughing = holds_cue("laughter", sentence.casefold()) or starts_with_cue(
            "laughter", LEADING.sub("", following.casefold())
        )
        if not candidates and len(plain.split()) > _FRAGMENT:
            silent.append(plain)
        settled = settled and (bool(candidates) or SELF.search(sentence) is None)
        for reading in candidates:
            if _is_anothers(reading):
                continue
            candidate = as_written(reading, sentence)
            # People laugh about themselves too: of a job or a town of the lists it takes nothing back.
            is_jest = is_laughing and candidate.key != "style" and not (reading in by_kind and reading.key in _SERIOUS)
            # A doubt doubts all of its sentence, and standing alone those beside it; frames know what it stands beside.
            is_doubted = (bool(doubts[number]) and reading not in by_kind) or mere[number - 1] or mere[number + 1]
            sure = candidate.sure and not (is_jest or is_unfinished or is_doubted)
            if not is_off_record or candidate.key == "style":
                items.append(inferred(candidate, sentence, sure=sure))
    if items and _may_be_anybodys(sentences, silent):
        items = [
            replace(item, confidence=UNCERTAIN) if item.key in _DESCRIBES and item.value != "retired" else item
            for item in items
        ]
    return Extraction.of(items, settled=settled or is_off_record, cut=own.cut)


def _each_allergen(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Tell of each thing of a Ukrainian list that somebody is allergic to it, once: "амброзію і на котів"."""
    each: dict[tuple[str, str], Candidate] = {}
    for candidate in candidates:
        is_list = candidate.key == "allergy" and _LIST_UK.search(candidate.value) is not None
        for value in allergens_uk(candidate.value) if is_list else (candidate.value,):
            one = replace(candidate, value=value)
            known = each.get((one.key, value))
            each[one.key, value] = one if known is None or one.sure else known
    return tuple(each.values())


_LIST_UK = re.compile(r"[а-яіїєґ'], [^,]+ (?:і|й|та) |^на | (?:і|й|та) на ")


def _without_aims(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Leave out the doubtful places of plans: who may move to Rome does not live there."""
    aims = [candidate.value for candidate in candidates if candidate.key == "goal"]
    return tuple(
        candidate
        for candidate in candidates
        if candidate.key != "location" or candidate.sure or not any(_is_in(candidate.value, aim) for aim in aims)
    )


def _is_in(place: str, aim: str) -> bool:
    """Tell whether a plan is about a place, whatever its ending is: "Рим" of "переїхати до Риму"."""
    stem = place[: max(2, len(place) - 2)] if CYRILLIC.search(place) else place
    return re.search(rf"\b(?:to|in|до|в|у|на) (?:the )?{re.escape(stem)}", aim, re.IGNORECASE) is not None


def _may_be_anybodys(sentences: Sequence[str], silent: Iterable[str]) -> bool:
    """Tell whether a description may be of anybody: "John, 45, accountant, Leeds. Write him a cover letter"."""
    if any(_GREETED.match(sentence) or whose(sentence) == "self" or SELF.search(sentence) for sentence in sentences):
        return False
    return any(not any(is_filler(language, plain) for language in _languages(plain)) for plain in silent)


_FRAGMENT = 2  # words: of "Josyp. Watchmaker. Mukachevo." all is told with the first
_GREETED = re.compile(
    r"\W*(?:new here|speaking as|hi|hiya|hey|hello|yo|sup|good (?:morning|evening|afternoon)"
    r"|(?:всім |усім )?(?:привіт|вітаю|хай|добр\w+ \w+))\b",
    re.IGNORECASE,
)
_DESCRIBES = frozenset(
    {"name", "age", "job", "location", "hometown", "birthplace", "nationality", "marital_status", "education", "diet"}
)
"""Keys of what people are described by, others as themselves."""


def is_impersonal(own: OwnWords) -> bool:
    """Tell whether nothing of a message is about its writer: an order, a joke, a role, an advertisement, a lesson."""
    text = " ".join(own.sentences).translate(APOSTROPHES).casefold()
    if is_latin_ukrainian(text):
        text = in_cyrillic(text)
    is_advert = any(named_pattern("advert").fullmatch(sentence) for sentence in own.sentences)
    is_exercise = named_pattern("exercise").match(text) is not None
    is_staged = named_pattern("staged").search(text) is not None
    return not text or is_advert or is_exercise or is_staged or any(holds_cue(head, text) for head in _IMPERSONAL_CUES)


_IMPERSONAL_CUES = ("order", "joke_en", "joke_uk", "staged_en", "staged_uk")


def weigh_claim(sentence: str, key: str, value: str) -> bool | None:
    """Hold what a model read in a sentence to what the rules are held to.

    Returns:
        Whether it may be certain; None where the sentence does not say it of its writer.
    """
    if (code := listed_language(OwnWords((sentence,)))) is not None:
        return weigh_listed(code, sentence, value)
    plain = _plain(sentence)
    claimed = own_of(meant((Candidate(key, value),), plain), plain, "")
    if not claimed:
        return None
    spoken = frozenset(index_words(value))
    clause, subject, is_hedge = "", "nobody", not claimed[0].sure
    for language in _languages(plain):
        if _tells_nothing(language.code, plain):
            return None
        is_hedge = is_hedge or is_hedged(language, plain)
        clause, subject = clause_of(language, plain, lambda part: len(spoken.intersection(index_words(part))))
    clause_denies, value_denies = (named_pattern("negated").search(text) is not None for text in (clause, value))
    if clause_denies != value_denies:
        return False if clause_denies and group_and_type(key)[0] == "preferences" else None
    if mentions_another(value) or group_and_type(key)[1] == "relationship":
        return not is_hedge  # says itself of whom
    weight = weigh_subject(clause, subject)
    return weight and not is_hedge


def _plain(sentence: str) -> str:
    plain = " ".join(sentence.translate(APOSTROPHES).split())
    plain = _CHILDREN_BY_NAME.sub(r"\g<children>", _WITHOUT.sub("without", plain))
    return mended(in_cyrillic(plain) if is_latin_ukrainian(plain) else plain)


# "двоє дітей: Софійка 6 і Марко 3": how many they are is said before.
_CHILDREN_BY_NAME = re.compile(
    r"(?P<children>\b(?:дітей|діток|синів|доньок|дочок|kids|children|sons|daughters)): "
    r"[A-ZА-ЯІЇЄҐ][\w']+(?: \(?\d+\)?)?(?:(?:, | and | і | та | й )[A-ZА-ЯІЇЄҐ][\w']+(?: \(?\d+\)?)?)*[.! ]*$"
)
_WITHOUT = re.compile(r"(?<!\w)w/o(?!\w)")


def _is_anothers(candidate: Candidate) -> bool:
    """Tell whether a fact has somebody else in its value: an allergy to "a friend with a nut"."""
    return candidate.key in _OF_ONESELF and mentions_another(candidate.value)


_OF_ONESELF = frozenset(
    {"allergy", "health", "diet", "age", "location", "hometown", "birthplace", "name", "nationality"}
)


def as_written(candidate: Candidate, sentence: str) -> Candidate:
    """Return a candidate in the nominative where the ending leaves no choice, and in the letters of the message."""
    value = candidate.value
    if CYRILLIC.search(value):
        if candidate.key == "employer":
            value = _WHERE_AT_WORK.sub("", value)
        value = in_base(candidate.key, value)
        if candidate.key in OBJECTS:
            value = _STRESSED.sub("", value)
            value = nominative_object(value)
        elif candidate.key == "pet":
            value = animal(value) or value
        elif candidate.key == "employer":
            value = workplace_nominative(value) or value
    written = sentence.translate(APOSTROPHES)
    if is_latin_ukrainian(written):
        value = in_latin(value, written)
    value = _trimmed(candidate.key, value)
    if candidate.key in _CONTINUED and (rest := named_pattern("continues").match(written, _end_of(value, written))):
        value = f"{value} {rest['rest']}"
    if (
        candidate.key == "job"
        and _OF_BOTH.search(written)
        and (one := value.removesuffix("s")) in words("occupation_en")
    ):
        value = one
    return candidate if value == candidate.value else replace(candidate, value=value)


_STRESSED = re.compile(" (?:просто |взагалі )?(?:просто|терпіти)(?: .*)?$")
_CONTINUED = frozenset({"health", "job"})
_OF_BOTH = re.compile(r"\b(?:and i|we)(?: are|'re) both\b", re.IGNORECASE)


def _end_of(value: str, text: str) -> int:
    """Return where a value ends in a text, or where the text does."""
    start = text.casefold().find(value.casefold())
    return start + len(value) if start >= 0 else len(text)


def _trimmed(key: str, value: str) -> str:
    """Return a value without what is said of all that is told, "Elastoplast of all things"."""
    if key == "diet":
        value = _NOT_EATEN.sub("no ", value)
    if key == "job" and (lesson := _TEACHING.fullmatch(value)):
        return f"{lesson[1]} teacher"
    if key in _OF_ONE_PART and runs_on(Candidate(key, value)):
        value = value.partition(",")[0]  # "the smell of coffee, honestly, it makes me sick"
    if key in _CUT:
        value = _CLAUSE_BEHIND.sub("", value)
    if key == "language":
        value = _SPOKEN_AT.sub("", value)
    if key == "education":
        value = _STUDYING.sub("", value)
    if key == "employer":
        value = _AT_WORK.sub("", value)
    if key in _SINCE_WHEN:
        value = _SINCE.sub("", value)
    shorter = named_pattern("said_besides").sub("", value)
    return shorter or value


_SPOKEN_AT = re.compile(r"^(?:вдома|удома|дома|на роботі|трохи|ще|також) ", re.IGNORECASE)
_AT_WORK = re.compile(r" (?:on|behind|doing) (?:the )?\w+.*$", re.IGNORECASE)
_STUDYING = re.compile(r"(?<=\w) (?:majoring|studying|minoring|doing|pursuing)\b.*$", re.IGNORECASE)
_WHERE_AT_WORK = re.compile(r"(?<=\w) (?:на|у|в) (?:[а-яіїєґ']+(?:і|ї|у|ю)|[А-ЯІЇЄҐ]\w+)$")
_OF_ONE_PART = frozenset({"like", "dislike", "skill", "hobby", "interest"})
_SINCE_WHEN = frozenset({"like", "dislike", "hobby", "interest", "job", "employer", "allergy"})
_SINCE = re.compile(r",? (?:ever )?(?:since|from|з|із|від) (?:about |десь )?(?:19|20)\d\d\b.*$", re.IGNORECASE)
_CUT = frozenset({"diet", "goal", "allergy", "like", "dislike"})
_CLAUSE_BEHIND = re.compile(
    r",? (?:now (?:that|the|we|i)|which|once|if|as soon as|because|but|although|though)\b.*$",
    re.IGNORECASE,
)
_TEACHING = re.compile(
    r"(?:teach|teaching) ((?!people|at|in|the|kids|children)[\w-]+(?: (?!at|in|the|to|for)[\w-]+){0,2})", re.IGNORECASE
)
_NOT_EATEN = re.compile(r"^(?:i )?(?:do not|don't|dont|never) eat (?:any )?", re.IGNORECASE)


def _parse(plain: str, subject: Subject, *, hedged: bool) -> tuple[Candidate, ...]:
    """Return what a sentence says of its writer; `subject` is whom those before it are about."""
    for language in _languages(plain):
        if _tells_nothing(language.code, plain):
            continue
        candidates = parse_sentence(language, without_question_back(plain), subject, hedged=hedged)
        if candidates:
            return candidates
    return ()


def _joined(candidates: tuple[Candidate, ...], within: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Join what whole clauses tell with what stands within them: "detailed answers" are a wish, no like."""
    wishes = [candidate.value.casefold() for candidate in within if candidate.key == "style"]
    preferred = [candidate.value.casefold() for candidate in candidates if candidate.key == "preference"]
    return (
        *(
            candidate
            for candidate in candidates
            if candidate.key != "like" or not _overlaps(candidate.value.casefold(), wishes)
        ),
        *(
            candidate
            for candidate in within
            if candidate.key != "style" or not _overlaps(candidate.value.casefold(), preferred)
        ),
    )


def _overlaps(value: str, values: list[str]) -> bool:
    return any(value in wish or wish in value for wish in values)


def _parse_within(
    plain: str, subject: Subject, candidates_before: tuple[Candidate, ...], *, hedged: bool, introduced: bool
) -> tuple[Candidate, ...]:
    """Return what stands in the middle of clauses that no pattern fits from end to end."""
    for language in _languages(plain):
        asserted = without_question(plain)
        stated = without_doubts(language, asserted) if hedged else asserted
        mode = manner(language.code, asserted)
        if (
            hedged
            and "?" in stated
            and not starts_with_cue(f"question_{language.code}", LEADING.sub("", stated.casefold()))
        ):
            mode -= {"asked"}  # "maybe I'm lactose intolerant?"
        # Some doubts are the verb themselves: "схиляюсь до Рівного".
        for text in dict.fromkeys((stated, asserted)):
            candidates = read_within(
                language,
                text,
                subject,
                hedged=hedged,
                mode=mode,
                candidates_before=candidates_before,
                introduced=introduced,
            )
            if candidates:
                return candidates
    return ()


def _parse_wishes(sentences: Sequence[str], number: int, *, hedged: bool) -> tuple[Candidate, ...]:
    """Return the wishes about answers in a sentence, for which the one before or behind may say "always"."""
    for language in _languages(sentences[number]):
        if not may_wish(language.code, sentences[number]):
            continue
        lasts = any(is_lasting(language.code, sentences[beside]) for beside in (number - 1, number + 1))
        wishes = read_wishes(language.code, sentences[number], lasts=lasts)
        if wishes and not holds_cue(f"forget_{language.code}", sentences[number].casefold()):
            return tuple(replace(wish, sure=not hedged) for wish in wishes)
    return ()


def _parse_introduction(own: OwnWords) -> tuple[Candidate, ...]:
    """Return what fragments side by side tell at the beginning of a message."""
    plain = [_plain(sentence) for sentence in own.sentences[:_INTRODUCTION]]
    if not plain:
        return ()
    return next(filter(None, (read_introduction(language.code, plain) for language in _languages(plain[0]))), ())


_INTRODUCTION = 5  # sentences
_MOST_SENTENCES = 50  # people who write a thousand letters write longer ones
_MOST_BY_KIND = 12  # sentences; of more that are so short few tell anything


def _frame_subject(plain: str, subject: Subject) -> Subject:
    """Return whom statements that leave their subject out may be about; the writer, where one is in the sentence."""
    plain = SINCE_CHILDHOOD.sub("", plain)
    subject_of_all = sentence_subject(plain, subject)
    head, comma, following = plain.partition(",")
    if subject_of_all != "self" and comma and not mentions_another(f"{head} {following.strip().partition(' ')[0]}"):
        # "love climbing, and my partner Jules …": whoever comes later is no subject of what stands before.
        return subject
    return subject if subject_of_all == "somebody" and named_pattern("writer").search(plain) else subject_of_all


_DIAGNOSIS = re.compile(
    r"(?:мій |моя )?(?:сімейн\w+ )?(?:лікар\w*|терапевт\w*|дерматолог|невролог|кардіолог) (?:мені )?"
    r"(?:каже|думає|сказа\w+),? (?:що |шо )?(?:у мене|в мене|це|схоже|мабуть|може|наче|ніби)",
    re.IGNORECASE,
)


def _stated(plain: str) -> str:
    """Return what stands before somebody's words, a dream or a condition: behind it nothing is plainly said."""
    signed = _SIGNED.match(plain)
    start = 0 if signed is None else signed.end()
    text = named_pattern("parenthesis").sub(lambda match: "," * len(match[0]), plain[start:])
    return plain[: start + len(before_cues(("reported_uk", "unreal_uk"), text))]


_SIGNED = re.compile(
    r"(?:[^.?!]{0,40}?(?<!\w))?(?:пише|турбує)(?: вам"
    r"| вас)? (?=[А-ЯІЇЄҐ][а-яіїєґ']+(?: [А-ЯІЇЄҐ][а-яіїєґ']+)?)",
    re.IGNORECASE,
)


def _plausible(candidates: Iterable[Candidate], plain: str) -> Iterator[Candidate]:
    for candidate in candidates:
        if candidate.key not in _OPEN_KEYS:
            yield candidate
        elif (assessed := assess(candidate, plain)) is not None:
            yield assessed


# "Якщо знайду квартиру, то з жовтня буду у Вроцлаві"
_CONDITION = re.compile(
    r"(?:як |а )?якщо(?! (?:що|чесно))\b.{3,}?(?:,| то) (?:то )?"
    r"(?P<then>[^,]*\b(?:буду|піду|стану|\w{2,}емо|\w{2,}имо|\w{2,}[аеиіу]ю|здам|візьму|куплю|поїду|переїду)\b.*)",
    re.IGNORECASE,
)
_SERIOUS = frozenset(
    {
        "name",
        "age",
        "location",
        "hometown",
        "job",
        "employer",
        "education",
        "pet",
        "birthday",
        "date",
        "son",
        "daughter",
        "nationality",
        "native_language",
        "vehicle",
        "operating_system",
        "weight",
        "fear",
    }
)
"""Keys of which a word of the lists is meant, though one laughs beside it."""
_PLANNED = frozenset({"goal", "location", "job", "employer", "education", "pet", "language"})
_DOUBTFUL = {
    "en": frozenset({"child", "device", "employer", "marital_status"}),
    "uk": frozenset(
        {
            *("age", "allergy", "child", "date", "device", "dislike", "health", "hometown", "like", "pet"),
            "programming_language",
        }
    ),
}
"""Keys whose values these words got wrong too often on messages by new hands (tests/data/messages.md): asked about."""
_EXCLAIMED = re.compile(r"\w+(?:лися|лись|ли|лась|лася|всь|вся|ла)[!?.]*")
"""A verb that names nobody: "Дочекалися!"."""
_OPEN_KEYS = frozenset({"like", "dislike", "goal", "allergy"})
_TWO_PLACES = re.compile(
    rf"\b(?:in|at|between|в|у|між) [A-ZА-ЯІЇЄҐ][\w'’-]+ (?:{JOINERS}) (?:in |at |у |в )?(?!I\b)[A-ZА-ЯІЇЄҐ]"
)
_QUOTED = re.compile(f"{GAP}[^{GAP}]*(?:{GAP}|$)")


def _parse_frames(plain: str, subject: Subject, *, hedged: bool, may_hint: bool = False) -> tuple[Candidate, ...]:
    """Return what words of known kinds tell."""
    plain = _QUOTED.sub(" , ", plain)
    start = LEADING.sub("", plain.casefold())
    told: tuple[Candidate, ...] = ()
    for language in _languages(plain):
        if starts_with_cue(f"past_{language.code}", start) and _WISHED.match(start) is None:
            continue
        condition = _CONDITION.match(plain) if language.code == "uk" else None
        if condition is not None:
            planned = read_frames("uk", condition["then"], subject, hedged=True)
            told += tuple(replace(candidate, sure=False) for candidate in planned if candidate.key in _PLANNED)
            continue
        stated = plain if language.code == "en" or _DIAGNOSIS.match(plain) else _stated(plain)
        candidates = read_frames(language.code, stated, subject, hedged=hedged, may_hint=may_hint)
        lower = plain.casefold()
        is_told = candidates and not holds_cue(f"forget_{language.code}", lower)
        if is_told and not starts_with_cue(f"reported_{language.code}", LEADING.sub("", lower)):
            plausible = candidates if language.code == "en" else _plausible(candidates, plain)
            doubtful = _DOUBTFUL[language.code] | ({"location"} if _TWO_PLACES.search(plain) else frozenset[str]())
            told += tuple(
                replace(reading, sure=reading.sure and (reading.is_firm or reading.key not in doubtful))
                for reading in plausible
            )
    return told


_WISHED = re.compile(r"would (?:\w+ )?(?:love|like|mind)\b")


@remembered
def _languages(sentence: str) -> tuple[Language, ...]:
    has_cyrillic, has_latin = CYRILLIC.search(sentence) is not None, _LATIN.search(sentence) is not None
    if has_cyrillic and has_latin:
        codes = ("en", "uk") if _LATIN.match(LEADING.sub("", sentence)) else ("uk", "en")
    else:
        codes = ("uk",) if has_cyrillic else ("en",)
    return tuple(LANGUAGES[code] for code in codes)


def _tells_nothing(code: str, sentence: str) -> bool:
    """Tell whether a whole sentence is no statement, whatever its clauses are."""
    lower = without_question_back(sentence.casefold())
    start = LEADING.sub("", lower)
    if starts_with_cue(f"supposed_{code}", start):
        return True
    if "?" in lower or any(holds_cue(f"{kind}_{code}", lower) for kind in ("unreal", "reported", "forget")):
        return True
    return starts_with_cue(f"question_{code}", start)
