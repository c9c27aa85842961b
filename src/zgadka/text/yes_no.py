"""Whether a short message plainly refuses or plainly agrees, in twelve languages and in emoji.

Asked only while a question is open. A wrong refusal closes the question and changes nothing, a wrong agreement deletes:
so a refusal in any language wins, an agreement counts in the person's language and in English alone (where that is not
known, in any of them), and it counts only where every word of the message is understood. The words are in
``data/yes_no/``, a file per language; `reply_clauses` finds them in a message.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import takewhile
from typing import Literal

from zgadka.text.keys import cued_keys, normalise_key
from zgadka.text.reply_acts import CONTENT, MEANINGS, Asked, acts_of
from zgadka.text.reply_clauses import Clause, Message, Segment, read_message
from zgadka.text.reply_reasons import Part, excuse_reasons
from zgadka.text.reply_words import LANGUAGES, SIGNS, Roles
from zgadka.text.words import index_words

_LONGEST = 1000  # characters; nobody says yes or no plainly in more

_THINGS = re.compile(r"[,;]|\s+(?:and|й|и|und|et|y|e|ve|en|та|oraz)\s+")

_SHORT = 4  # words of a clause whose last one is a no, whatever stands before it: "dude no"
_BARE = 3  # words of a yes and the order, and nothing more
_ALL = (*LANGUAGES, SIGNS)
_BLOCKING = frozenset({"refusal", "forbidding", "wait", "bare", "counter", "need", "doubt", "part", "condition"})
_PARTIAL = frozenset({"part", "doubt"})
_AGREEING = frozenset({"yes", "order", "forget", "number"})
_UNEXPLAINED = frozenset({"unknown", "question", "about", "subject"})
_ORDERS = frozenset({"order", "forget"})
_ANSWERING = frozenset({"yes", "order", "forget", "filler", "id", "shrug"})
_TAKING = frozenset({"counter", "forbidding", "wait", "part"})
"""What a clause that only tells something has nowhere in it."""
_TAKING_BACK = frozenset({"wait", "rather"})
"""Behind such a word somebody says it anew."""
_LIMITING = frozenset({"refusal", "no", "bare", "need", "doubt", "condition"})
"""What it does not begin with."""
_FEWEST_TOLD = 3
_FEWEST_STRANGE = 2
"""So many words that neither answer nor name anything speak of something else."""
_AFFIRMED = frozenset({"save", "allow"})
"""What is asked where who tells more of it agrees: "yes, I live in Lviv"."""
_BESIDE_YES = frozenset({"please", "begging", "all"})
"""What may stand beside the yes that erases everything."""
Verdict = Literal["agreed", "refused", "unclear"]
"""What a message says to a question: yes to all that was asked, no, or neither."""


def answer_to(
    text: str,
    texts: Mapping[int, str],
    request: Asked = "delete",
    language: str | None = None,
    *,
    must_name: bool = False,
) -> Verdict:
    """Tell what a message says to a question about these memories; the one function that every door asks.

    Args:
        text: What the person wrote themselves.
        texts: As in `agreed`.
        request: What they were asked about.
        language: As in `plainly_agrees`.
        must_name: Whether a mere "yes" may be meant for somebody else, so that only what names the memories agrees.
    """
    if plainly_refuses(text, request):
        return "refused"
    return "agreed" if len(agreed(text, texts, request, language, must_name=must_name)) == len(texts) else "unclear"


def plainly_refuses(text: str, request: Asked = "delete") -> bool:
    """Tell whether a message plainly refuses what was asked: "no", "don't", "keep it", "ні, не треба", "lass mal".

    "No problem" and "I have no idea" refuse nothing, and "do not keep it" agrees to a deletion. Where a message both
    agrees and refuses, it refuses. "Just a second" refuses as well, but for what may be saved as well later.

    Args:
        text: What the person wrote, in any of the languages; read up to 1,000 characters.
        request: What they were asked about.
    """
    return _refuses(text[:_LONGEST], request)


def plainly_agrees(text: str, request: Asked = "delete", language: str | None = None) -> bool:
    """Tell whether a message plainly agrees to what was asked: "yes", "ok, delete it", "так, видали", "угу".

    Never true when `plainly_refuses` is, nor for a question, a doubt, a condition, a part of it or a quote. What the
    memory is about is not known here: "yes, delete what you know about my cat" agrees.

    Args:
        text: What the person wrote; more than 1,000 characters agree to nothing.
        request: What they were asked about.
        language: The code of the person's language, whose words count beside those of English; None where it is not
            known: those of all twelve then.
    """
    return any(
        agreement.says_yes and agreement.orders if agreement.unexplained else agreement.is_plain
        for agreement in _agreements(text, request, language)
    )


def agreed(
    text: str,
    texts: Mapping[int, str],
    request: Asked = "delete",
    language: str | None = None,
    *,
    must_name: bool = False,
) -> frozenset[int]:
    """Tell to which of the memories that a person was asked about their message plainly agrees.

    "Yes" and 👍 agree to all, "24" to the memory with that id, and so does the order once more: "delete it",
    "забудь, де я живу". Where a word is left over that neither agrees nor is about the memory, it agrees to nothing.

    Args:
        text: What the person wrote; more than 1,000 characters agree to nothing.
        texts: The texts of the memories (`location: Kyiv`) by id; 0 and below stand for what has no id to name it by.
        request: What they were asked about.
        language: As in `plainly_agrees`.
        must_name: As in `answer_to`.
    """
    each = (_chosen(agreement, texts, must_name) for agreement in _agreements(text, request, language))
    return next(filter(None, each), frozenset[int]())


def _chosen(agreement: "_Agreement", texts: Mapping[int, str], must_name: bool) -> frozenset[int]:
    """Return the memories that an agreement is about."""
    numbers = agreement.words("number")
    if max(texts, default=0) <= 0:  # "yes, 12 June" names no id where there is none
        numbers -= {word for word in numbers if any(_is_named(word, memory) for memory in texts.values())}
    if must_name and not (numbers or agreement.unexplained):
        return frozenset()
    chosen = {
        number: memory for number, memory in texts.items() if not numbers or (number > 0 and str(number) in numbers)
    }
    if numbers and numbers != set(map(str, chosen)):
        return frozenset()
    if agreement.unexplained:
        return frozenset(number for number, memory in chosen.items() if agreement.is_about(memory))
    names_it = numbers and (agreement.orders or agreement.kinds <= {"number", "id"})
    return frozenset(chosen if agreement.is_plain or names_it else ())


def is_of_another(text: str, texts: Collection[str]) -> bool:
    """Tell whether a message that begins with a no speaks of something else: "No, Bob, the match is at five".

    Args:
        texts: The texts of the things that its person was asked about.
    """
    unknown = [
        word
        for clause in read_message(text[:_LONGEST]).clauses
        for word, roles in zip(clause.words, _roles_of(_best_reading(clause)), strict=True)
        if not roles
    ]
    return len(unknown) >= _FEWEST_STRANGE and not any(_is_named(word, thing) for word in unknown for thing in texts)


def _roles_of(reading: list[Segment]) -> list[Roles]:
    """The roles of each word."""
    return [roles for length, roles in reading for _ in range(length)]


def orders_another(text: str, texts: Mapping[int, str], request: Asked) -> bool:
    """Tell whether a message that refuses does so by an order alone that is about something else: "keep 99"."""
    languages = _ALL
    orders: list[tuple[str, str]] = []
    for clause in read_message(text[:_LONGEST]).clauses:
        acts = _part(clause, clause.segments(languages), request).acts
        if not {"refusal", "no", "bare"}.isdisjoint(acts):
            return False
        if not {"counter", "forbidding"}.isdisjoint(acts):
            orders += zip(acts, clause.words, strict=True)

    def is_named(act: str, word: str) -> bool:
        return word in map(str, texts) if act == "number" else any(_is_named(word, memory) for memory in texts.values())

    return not all(is_named(act, word) for act, word in orders if act in ("number", "unknown"))


@dataclass(frozen=True)
class _Agreement:
    """A message without a refusal, a doubt, a question or a condition, which may agree.

    Attributes:
        acts: What each of its words does (see `acts_of`), and the word as it was typed.
        kinds: The acts in it.
        orders: It has an order to do what was asked, before which every word is understood.
        may_name: It has one, before which there are words that may name the memory, or says yes and may name it.
        aside: The words of reasons, which need not be understood.
    """

    acts: list[tuple[str, str]]
    kinds: set[str]
    orders: bool
    may_name: bool
    aside: frozenset[str]

    @property
    def says_yes(self) -> bool:
        """Whether it has a word of agreement."""
        return "yes" in self.kinds

    @property
    def is_plain(self) -> bool:
        """Whether it says yes, or orders what was asked by more than an idiom of dismissal ("forget it")."""
        return self.says_yes or (self.orders and "order" in self.kinds)

    @property
    def unexplained(self) -> bool:
        """Whether words are left over that must be about the memory."""
        return not _UNEXPLAINED.isdisjoint(self.kinds)

    def words(self, *acts: str) -> set[str]:
        """Return the words that do one of these."""
        return {word for act, word in self.acts if act in acts}

    def is_about(self, memory: str) -> bool:
        """Tell whether it orders what was asked of this memory, by its words or by its key, and of nothing else."""
        if not self.may_name:
            return False
        telling = self.words("unknown", "subject")
        if not all(_is_named(word, memory) for word in telling):
            return False
        if any(_is_named(word, memory) for word in self.aside - telling):
            return False  # "delete Jan, the chess club goes on"
        naming = [word for word in telling or self.words("about", "question", "filler", "id") if not word.isdecimal()]
        # Who names one of two things, "delete Ada's", speaks of a part.
        return all(any(_is_named(word, part) for word in naming) for part in _THINGS.split(memory))


def _is_named(word: str, memory: str) -> bool:
    """Whether a word of a message is one of the memory, or asks for its key: "where" is about a location."""
    key = normalise_key(memory.partition(":")[0]) if ":" in memory else ""
    return key in cued_keys(word) or not set(index_words(memory)).isdisjoint(index_words(word))


def _agreements(text: str, request: Asked, language: str | None) -> Iterator[_Agreement]:
    """What a message agrees to, as it is read in the person's language; where that is not known, in each of them."""
    message = read_message(text) if len(text) <= _LONGEST else None
    if message is None or not message.may_say(_agreeing(request)):  # most are about something else
        return
    message = _without_chatter(_after_wait(message, request), request)
    # All that know no word of it read it alike.
    languages = frozenset[str]().union(*(clause.languages() for clause in message.clauses))
    strangers = [name for name in LANGUAGES if name not in languages][1:]
    for name in LANGUAGES if language is None else (language,):
        if language is not None or name not in strangers:
            agreement = _agreement(text, message, request, name, is_known=language is not None)
            if agreement is not None:
                yield agreement


@cache
def _agreeing(request: Asked) -> frozenset[str]:
    """The roles of words without which nothing agrees."""
    orders = {*MEANINGS[request]["order"], "forget"}
    negated = {f"not_{verb}" for verb in MEANINGS[request]["negated_order"]}
    return frozenset(
        {"yes", "begging", "number", "negation", "all", *orders, *(f"{verb}*" for verb in orders), *negated}
    )


def _agreement(text: str, message: Message, request: Asked, language: str, *, is_known: bool) -> _Agreement | None:
    languages = (language.partition("-")[0], "en", SIGNS)
    readings = [_reading(clause, languages) for clause in message.clauses]
    courtesies = any("polite" in roles for reading in readings for _, roles in reading)
    courtesies |= any(
        clause.is_question and clause.holds("please", languages) and any(map(clause.holds, MEANINGS[request]["order"]))
        for clause in message.clauses
    )
    parts = [
        _part(clause, reading, request, chance=int(is_known))
        for clause, reading in zip(message.clauses, readings, strict=True)
    ]
    for part in parts:  # the message does not refuse: "I have no cat"
        part.acts[:] = ["unknown" if act in ("no", "refusal") else act for act in part.acts]
    linking = "condition" if message.holds("thankful", languages) else "that"
    for clause, part in zip(message.clauses, parts, strict=True):
        if linking == "condition" or (clause.holds("wish", languages) and clause.holds("that", languages)):
            # "I would be glad if you deleted it", "хочу, щоб ти це видалив"
            part.acts[:] = [
                _wished(act, roles, request, linking) for act, roles in zip(part.acts, part.roles, strict=True)
            ]
    rhetorical = _excuse_questions(message.clauses, parts)
    before_reasons = [list(part.acts) for part in parts]
    is_ironic = request != "save" and message.holds("praise", languages)  # "great, delete it, then I know nothing"
    may_tell = request != "erase" or any(not _ORDERS.isdisjoint(part.acts) for part in parts)
    may_tell = may_tell and "@" not in text and not is_ironic
    tells_why = may_tell and excuse_reasons(parts, affirms=request in _AFFIRMED)
    acts = [
        pair
        for clause, part in zip(message.clauses, parts, strict=True)
        for pair in zip(part.acts, clause.words, strict=True)
    ]
    aside = frozenset(
        word
        for clause, part, told in zip(message.clauses, parts, before_reasons, strict=True)
        for word, act, before in zip(clause.words, part.acts, told, strict=True)
        if act != before
    )
    kinds = {act for act, _ in acts}
    if request == "erase" and _AGREEING.isdisjoint(kinds):  # "everything, please"
        every = [roles for part in parts for roles in part.roles]
        acts = [("order" if "all" in roles else act, word) for (act, word), roles in zip(acts, every, strict=True)]
        kinds = {act for act, _ in acts}
    is_emphatic = text.isupper() or len(acts) > 1 or "!" in text
    if kinds == {"filler"} and is_emphatic and message.holds("begging", languages) and request != "erase":
        acts, kinds = [("yes", word) for _, word in acts], {"yes"}
    echoes = sum(clause.is_question and len(clause.words) <= _SHORT for clause in message.clauses[:-1])  # "this? yes"
    is_asking = message.questions > max(courtesies, echoes, rhetorical)
    if is_asking or _AGREEING.isdisjoint(kinds) or not _BLOCKING.isdisjoint(kinds):
        return None
    if plainly_refuses(text, request):  # asked last, for it takes longest, and most messages have no agreement in them
        return None
    before = {act for act, _ in takewhile(lambda pair: pair[0] not in _ORDERS, acts)}
    orders = not kinds.isdisjoint(_ORDERS) and _UNEXPLAINED.isdisjoint(before)
    is_of_all = message.holds("all", languages) or message.holds("go", languages)
    if request == "erase" and not (is_of_all or kinds.isdisjoint(_ORDERS)):
        return None  # "delete it": something is, and not everything
    if request == "erase" and kinds.isdisjoint(_ORDERS) and not _is_mere_yes(parts, acts):
        return None  # "yes, I sold it", "ok, whatever"
    if not orders and (("shrug" in kinds and not tells_why) or "subject" in readings[0][0][1]):
        return None  # "yes 🤣", "You sure", "I am fine"
    is_of_thing = request in _AFFIRMED or not message.holds("subject")
    repeats = "yes" in kinds and is_of_thing  # "yes, the note about the dentist"
    may_name = repeats or (not kinds.isdisjoint(_ORDERS) and before.isdisjoint(_UNEXPLAINED - {"unknown"}))
    return _Agreement(acts, kinds, orders, may_name, aside)


def _is_mere_yes(parts: list[Part], acts: list[tuple[str, str]]) -> bool:
    """Whether a message says yes, and nothing else in words but please, thanks and that it is about everything."""
    roles = [each for part in parts for each in part.roles]
    return all(
        act == "yes" or not _BESIDE_YES.isdisjoint(each) or not any(map(str.isalpha, word))
        for (act, word), each in zip(acts, roles, strict=True)
    )


def _excuse_questions(clauses: tuple[Clause, ...], parts: list[Part]) -> int:
    """Take for fillers the words of questions that an order answers, and count them: "why keep it? delete it"."""
    answer = next((index for index in range(len(parts) - 1, -1, -1) if parts[index].names_deed), -1)
    if any(clause.is_question for clause in clauses[answer:]):
        return 0
    questions = [index for index in range(answer) if clauses[index].is_question and not clauses[index].is_quoted]
    for index in questions:
        parts[index].acts[:] = ["filler"] * len(parts[index].acts)
    return len(questions)


def _wished(act: str, roles: Roles, request: Asked, linking: str) -> str:
    deeds = {role.removesuffix("*") for role in roles}
    if not MEANINGS[request]["order"].isdisjoint(deeds) or (request in ("delete", "erase") and "forget" in deeds):
        return "order"
    is_link = act in ("question", "subject", "about") or (act == "condition" and linking in roles)
    return "filler" if is_link else act


def _part(clause: Clause, reading: list[Segment], request: Asked, *, chance: int = 0) -> Part:
    acts = acts_of(reading, request)
    if clause.is_quoted:  # what is quoted says nothing: it may only name the memory
        acts = ["unknown"] * len(acts)
    if "subject" in acts and "order" in acts:
        start = acts.index("order")
        acts[start:] = ["filler" if act == "subject" else act for act in acts[start:]]  # "удали ты это"
    by_word = [(act, roles) for (length, roles), act in zip(reading, acts, strict=True) for _ in range(length)]
    is_foreign = _fit(reading)[0] + chance < _best_fit(clause)[0]  # "esse" is German, and Portuguese by chance
    is_plain = not (clause.is_question or clause.is_quoted or clause.is_heading or is_foreign)
    return Part([act for act, _ in by_word], [roles for _, roles in by_word], is_plain)


@lru_cache(maxsize=64)
def _refuses(text: str, request: Asked) -> bool:
    message = _without_chatter(_after_wait(read_message(text), request), request)
    agrees = waits = False
    is_understood = True
    orders = MEANINGS[request]["order"] - {"go"}
    for index, clause in enumerate(message.clauses):
        leads = any(
            any(map(later.holds, orders)) and not (later.holds("negation") or later.holds("no"))
            for later in message.clauses[index + 1 :]
        )
        if _clause_refuses(clause, request, is_explaining=agrees or leads):
            return True
        agrees = agrees or clause.holds("yes")
        segments = clause.segments(_ALL)
        waits = waits or any("wait" in roles for _, roles in segments)
        is_understood = is_understood and not any(roles <= CONTENT or "doubt" in roles for _, roles in segments)
    return message.refuses_across or (waits and is_understood and not message.questions and request != "save")


def _after_wait(message: Message, request: Asked) -> Message:
    """What is left when somebody takes back what stands before: "no, I mean yes, delete it".

    They do only where both a yes and the order stand behind it.
    """
    for index in range(len(message.clauses) - 1, -1, -1):
        clause = message.clauses[index]
        if not any(map(clause.holds, _TAKING_BACK)):
            continue
        segments = clause.segments(_ALL)
        last = max(
            (index for index, (_, roles) in enumerate(segments) if not _TAKING_BACK.isdisjoint(roles)), default=-1
        )
        if 0 <= last < len(segments) - 1 and "no" in segments[last + 1][1]:
            last += 1  # "wait no, actually yes"
        rest = clause.behind(sum(length for length, _ in segments[: last + 1]))
        clauses = (*(rest,) * bool(rest.words), *message.clauses[index + 1 :])
        remainder = Message(clauses, message.questions, refuses_across=False)
        if not (remainder.holds("yes") and any(map(remainder.holds, MEANINGS[request]["order"]))):
            return message
        is_awaited = any("wait" in roles for _, roles in segments)
        return remainder if is_awaited or _is_bare(remainder, request) else message
    return message


def _is_bare(message: Message, request: Asked) -> bool:
    """Whether a message is a yes and the order, and nothing more: not "yes, delete it was a typo"."""
    acts = [act for clause in message.clauses for act in acts_of(_best_reading(clause), request)]
    return sum(len(clause.words) for clause in message.clauses) <= _BARE and _ANSWERING.issuperset(acts)


def _without_chatter(message: Message, request: Asked) -> Message:
    """What is left without what people go on to tell once they have both said yes and given the order.

    "Yes, delete it, nobody plays that anymore", and not "yes, delete it, just not now".
    """
    answered = _answered_by(message.clauses, request)
    rest = tuple(clause for clause in message.clauses[answered:] if not _is_chatter(clause, request))
    return replace(message, clauses=message.clauses[:answered] + rest)


def _answered_by(clauses: tuple[Clause, ...], request: Asked) -> int:
    """How many clauses it takes to say yes and to give the order, where every word up to there is understood."""
    says_yes = orders = False
    for count, clause in enumerate(clauses, 1):
        segments = _best_reading(clause)
        acts = acts_of(segments, request)
        if clause.is_question or clause.is_quoted or clause.is_heading or not _ANSWERING.issuperset(acts):
            break
        says_yes = says_yes or "yes" in acts or any("please" in roles for _, roles in segments)
        orders = orders or not _ORDERS.isdisjoint(acts)
        if says_yes and orders:
            return count
    return len(clauses)


def _is_chatter(clause: Clause, request: Asked) -> bool:
    """Whether a clause behind the whole answer begins with nothing that takes from it, and orders nothing.

    In a few words "no", "later" or "when" are about the answer wherever they stand.
    """
    segments = _best_reading(clause)
    acts, roles = acts_of(segments, request), [roles for _, roles in segments]
    if clause.is_quoted or clause.is_heading or len(clause.words) < _FEWEST_TOLD:
        return False
    if not _TAKING.isdisjoint(acts) or any("told" in each for each in roles):
        return False
    if "because" in roles[0]:
        return True
    if "condition" in roles[0]:
        return False
    return _LIMITING.isdisjoint(acts[:1] if len(clause.words) > _SHORT else acts)


def _clause_refuses(clause: Clause, request: Asked, *, is_explaining: bool) -> bool:
    """Whether it refuses in one of the languages that understand most of its words.

    Hence "ik ben net thuis" is Dutch and has no Russian no in it, and "no jasne" is Polish and agrees.
    """
    readings = [clause.segments((language, SIGNS)) for language in clause.refusing_languages()]
    refusing = [
        reading for reading in readings if _acts_refuse(acts_of(reading, request), clause.is_question, is_explaining)
    ]
    if not refusing:
        return False
    best = _best_fit(clause)
    return any(_fit(reading) == best for reading in refusing)


def _reading(clause: Clause, languages: tuple[str, ...]) -> list[Segment]:
    """Read a clause in the one language that fits it, else in all: the i of "I don't" is no Ukrainian і."""
    apart = [clause.segments((language, SIGNS)) for language in languages]
    return max(*apart, clause.segments(languages), key=_fit)


def _best_reading(clause: Clause) -> list[Segment]:
    """Read a clause in the one language that fits it best; where none knows a word of it, in all."""
    each = [clause.segments((language, SIGNS)) for language in LANGUAGES if language in clause.languages()]
    return max(each, key=_fit, default=clause.segments(_ALL))


def _best_fit(clause: Clause) -> tuple[int, int]:
    return max((_fit(clause.segments((language, SIGNS))) for language in clause.languages()), default=(0, 0))


def _fit(reading: list[Segment]) -> tuple[int, int]:
    """How well a language fits a clause: by the number of words that it knows, then by the length of their phrases."""
    return sum(length for length, roles in reading if roles), -len(reading)


def _acts_refuse(acts: list[str], is_question: bool, is_explaining: bool) -> bool:
    if "refusal" in acts and not (is_explaining and "unknown" in acts[: acts.index("refusal")]):
        return True  # "колени не те. Убирай" tells why
    is_understood = not is_question  # so far: "no" within a sentence of other words is part of that sentence
    for index, act in enumerate(acts):
        if act in ("condition", "question"):
            return False
        if act == "forbidding" and "part" not in acts[index:]:
            return True
        is_explaining = is_explaining or act in ("yes", "order")
        if is_explaining and act == "no" and acts[index + 1 : index + 2] in (["unknown"], ["about"]):
            is_understood = False  # "claro, no tengo nada que esconder"
        if is_understood and (act in ("no", "bare") or (act == "counter" and "part" not in acts)):
            return True
        is_understood = is_understood and act not in ("unknown", "part")
    is_ending = not is_question and len(acts) <= _SHORT and acts[-1] == "no" and not _PARTIAL.intersection(acts)
    return is_ending or (is_understood and "need" in acts and "doubt" not in acts)
