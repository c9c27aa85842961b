"""Which words of a reply only tell why: "delete it, I sold the bike", "yes, I moved anyway".

People give reasons in any words, so these need not be understood. But an irony is told in the same way ("sure, and give
him my keys"), and so is what is said to others ("yes mom, coming"). Hence a reason counts where an order stands before
it, understood and cut off from it, or where it has a word that reasons have: "anymore", "because", "outdated". Behind a
mere yes also what happened or is liked is one, where nothing else is told: "yes, he paid me back". Where somebody both
says yes and gives the order, what else they say outside the order does not matter.
"""

from itertools import takewhile
from typing import NamedTuple

from zgadka.text.reply_words import Roles

_CALLING = 2
"""So many words beside an order are a reason. Fewer may call: "delete it, Ann"."""
_COUNTING = 5
"""A number among so many words of a reason is no id: "I was 12 when I wrote that"."""
_REASONS = frozenset({"reason", "because", "contrary", "untrue"})
_WEAK = frozenset({"event", "liking"})
_TELLING = _REASONS | _WEAK | {"already"}
_CERTAIN = 2
"""So many words that tell why are no yes to somebody else: "yes, they changed it, so it is useless now"."""
_ELSEWHERE = frozenset({"talk", "still"})
_NO_LONGER = frozenset({"reason", "phrase"})
_OPENERS = _TELLING | {"subject", "third"}
_ORDERS = frozenset({"order", "forget"})
_ANSWERS = _ORDERS | {"yes"}
_KEEPING = frozenset({"know", "keep", "save", "need", "wish"})
_HARMLESS = frozenset({"yes", "order", "forget", "filler", "unknown", "about", "subject", "id", "shrug", "number"})
_EXPLAINED = _HARMLESS | {"doubt", "condition", "question"}
"""What may stand behind a "because"."""


class Part(NamedTuple):
    """A clause of a reply, as `excuse_reasons` changes it.

    Attributes:
        acts: What each of its words does.
        roles: The heads under which each of them stands.
        is_plain: It is no question and no quote, and no other language knows more of its words.
    """

    acts: list[str]
    roles: list[Roles]
    is_plain: bool

    @property
    def names_id(self) -> bool:
        """Whether a number stands beside an order or a word such as "number"."""
        decided = [act in _ORDERS or act in ("yes", "id") for act in self.acts]
        return any(
            act == "number" and any(decided[max(0, index - 2) : index + 2]) for index, act in enumerate(self.acts)
        )

    @property
    def asks_why(self) -> bool:
        """Whether it asks why something should be known or kept."""
        heads = frozenset[str]().union(*self.roles)
        is_why = any("why" in roles for roles in self.roles[:_CALLING])
        return self.is_plain and is_why and not heads.isdisjoint(_KEEPING) and "told" not in heads

    @property
    def names_deed(self) -> bool:
        """Whether it orders at once and names what is to be done, as neither "go ahead" nor "then delete it" do."""
        return not any("then" in roles for roles in self.roles) and any(
            act == "order" and "go" not in roles for act, roles in zip(self.acts, self.roles, strict=True)
        )


def excuse_reasons(parts: list[Part], *, affirms: bool) -> bool:
    """Take for fillers the words of the parts that only tell why what was asked should be done.

    Args:
        parts: The clauses of the reply.
        affirms: Whether who says yes and tells of a third agrees: "yes, she's my wife".

    Returns:
        Whether any part plainly tells why.
    """
    agrees = any("yes" in part.acts for part in parts)
    ordering = [index for index, part in enumerate(parts) if not _ORDERS.isdisjoint(part.acts)]
    last_named = max((index for index in ordering if parts[index].names_deed), default=-1)
    explains = False
    for index, part in enumerate(parts):
        orders = bool(ordering) and ordering[0] < index
        follows = any(not {"yes", *_ORDERS}.isdisjoint(before.acts) for before in parts[:index])
        leads = index < last_named or (index < ordering[-1] if ordering and _tells_why(part) else False)
        if any("yes" in later.acts for later in parts[index + 1 : last_named + 1]):
            part.acts[:] = ["filler" if act == "doubt" else act for act in part.acts]  # "let me think. Yes, delete it"
        if part.asks_why and (index < last_named or any("yes" in before.acts for before in parts[:index])):
            part.acts[:] = ["filler"] * len(part.acts)  # "why would you know that, delete it"
        if (affirms or (agrees and ordering)) and (start := _further(part, follows=follows)) is not None:
            part.acts[start:] = ["filler"] * (len(part.acts) - start)
            continue
        if affirms:
            if (start := _told_of_third(part, parts[:index])) is not None:
                part.acts[start:] = ["filler"] * (len(part.acts) - start)
            part.roles[:] = [roles | {"reason"} if "worth" in roles else roles for roles in part.roles]
        else:  # "yes, the dentist was nice"
            part.roles[:] = [roles - {"liking"} | {"talk"} if "liking" in roles else roles for roles in part.roles]
        reason = _reason(part, agrees=agrees, orders=orders, leads=leads, explains=explains, follows=follows)
        explains = any("because" in roles for roles in part.roles)
        meaningful = (
            _ORDERS | {"yes"} if len(part.acts) >= _COUNTING and not part.names_id else _ORDERS | {"yes", "number"}
        )
        if not ordering and _is_weak(part, affirms=affirms):
            meaningful |= {"unknown"}  # what else is told must be about the memory
        part.acts[reason] = [
            act if act in meaningful and (ordering or _TELLING.isdisjoint(roles)) else "filler"
            for act, roles in zip(part.acts[reason], part.roles[reason], strict=True)
        ]
        if not ordering:  # "yes, I still go there", "yes, see you at home"
            part.acts[:] = [
                "unknown" if act != "yes" and not _ELSEWHERE.isdisjoint(roles) else act
                for act, roles in zip(part.acts, part.roles, strict=True)
            ]
    return any(map(_tells_why, parts))


def _reason(part: Part, *, agrees: bool, orders: bool, leads: bool, explains: bool, follows: bool) -> slice:
    """The words of a part that need not be understood.

    Args:
        part: The part.
        agrees: Some part says yes.
        orders: An order stands before the part.
        leads: An order that names what is to be done comes after it, or after a part that plainly tells why any order.
        explains: The part before it has a "because", or something like it.
        follows: A yes or an order stands before the part.
    """
    size, nothing, everything = len(part.acts), slice(0), slice(None)
    heads = frozenset[str]().union(*part.roles)
    if not part.is_plain:
        return nothing
    deciding = [
        place for place, act in enumerate(part.acts) if act in _ORDERS or (act == "yes" and not (orders and place))
    ]
    because = 0 if explains else next((place for place, roles in enumerate(part.roles) if "because" in roles), size)
    is_double = agrees and (orders or leads)
    if is_double and deciding and _ORDERS.isdisjoint(part.acts) and _EXPLAINED.issuperset(part.acts):
        leading = next(act for act in part.acts if act != "filler")
        return everything if leading == "yes" and "told" not in heads else nothing
    if because < size and not deciding and (orders or agrees):
        may_say = _EXPLAINED if because == 0 else _HARMLESS | {"doubt"}  # "it may be useful"
        return everything if may_say.issuperset(part.acts) else nothing
    if deciding and deciding[0] < because < size and _HARMLESS.issuperset(part.acts[:because]):
        return slice(because, None) if _EXPLAINED.issuperset(part.acts[because:]) else nothing
    therefore = max((place for place in range(deciding[-1] if deciding else 0) if "so" in part.roles[place]), default=0)
    if therefore >= _CALLING and deciding[0] == therefore + 1 and agrees and not _ORDERS.isdisjoint(part.acts):
        return slice(therefore) if (_EXPLAINED | {"need"}).issuperset(part.acts) else nothing
    harmless = _HARMLESS | {"question"} if orders and not deciding and part.acts[0] != "question" else _HARMLESS
    if not harmless.issuperset(part.acts) or "told" in heads:
        return nothing
    if follows and ("further" in part.roles[0] or "still" in heads):
        return nothing  # "delete the old one, I still go to the other"
    tells_why = _tells_why(part) or not heads.isdisjoint(_WEAK)
    if "because" in part.roles[0] and not orders and "reason" not in heads:
        return nothing  # "in case I sell it, delete it"
    if not deciding:
        is_long = size >= _CALLING or (agrees and (orders or leads))  # "yes, Ann, delete it"
        return everything if (orders or leads or agrees) and (tells_why or (is_long and (orders or leads))) else nothing
    if therefore >= _CALLING:
        return slice(therefore)  # "I sold it so delete it"
    if _ORDERS.isdisjoint(part.acts):
        return everything if is_double else _behind(deciding[-1], part) if tells_why else nothing
    if tells_why or ("already" in heads and (agrees or part.names_deed)):  # "change it I drink tea now"
        return _behind(deciding[-1], part)
    return slice(deciding[0]) if part.acts[deciding[0]] == "yes" else nothing


def _told_of_third(part: Part, before: list[Part]) -> int | None:
    """Where a statement about a third begins behind a yes that is more than an "ok": "yes, that's my number"."""
    leading = takewhile(lambda pair: pair[0] == "yes" or "please" in pair[1], zip(part.acts, part.roles, strict=True))
    start = sum(1 for _ in leading)
    telling = [earlier for earlier in before if set(earlier.acts) != {"filler"}]  # "yes 😊 she's my wife"
    preceding = telling[-1] if telling and not start else part
    answer = zip(preceding.acts, preceding.roles, strict=True)
    says_yes = any(act == "yes" and "weak" not in roles for act, roles in answer)
    heads = frozenset[str]().union(*part.roles)
    is_told = part.is_plain and _HARMLESS.issuperset(part.acts) and "told" not in heads
    return start if is_told and says_yes and start < len(part.acts) and "third" in part.roles[start] else None


def _further(part: Part, *, follows: bool) -> int | None:
    """Where it asks the bot for one thing more: "yes, and remind me on Monday"."""
    start = next((place for place, act in enumerate(part.acts) if act not in _ANSWERS), len(part.acts))
    rest, heads = part.acts[start:], frozenset[str]().union(*part.roles[start:])
    is_answered = bool(rest) and (start > 0 or follows) and "further" in part.roles[start]
    is_asked = (
        part.is_plain
        and "deed" in heads
        and "told" not in heads
        and (_HARMLESS | {"doubt", "part", "question"}).issuperset(rest)
    )
    return start if is_answered and is_asked else None


def _is_weak(part: Part, *, affirms: bool) -> bool:
    """Whether a yes to somebody else may tell it as well: "yes, I paid the sitter"."""
    telling = {roles for roles in part.roles if not _TELLING.isdisjoint(roles)}
    is_certain = len(telling) >= _CERTAIN or any(roles >= _NO_LONGER for roles in telling)
    return not (is_certain or (affirms and _tells_why(part)))


def _tells_why(part: Part) -> bool:
    return any(not roles.isdisjoint(_REASONS) for roles in part.roles)


def _behind(index: int, part: Part) -> slice:
    """From where a sentence of its own begins after the answer: "go ahead I have nothing to hide"."""
    places = range(index + 1, len(part.roles))
    return slice(next((start for start in places if not part.roles[start].isdisjoint(_OPENERS)), len(part.roles)), None)
