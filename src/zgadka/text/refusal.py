"""Whether a short message plainly refuses or plainly agrees, in English, Ukrainian and Russian.

Read only when a question is open. A wrong refusal closes the question and deletes nothing, a wrong consent deletes:
so a mixed message counts as a refusal, and anything not understood counts as neither.
"""

import re
from functools import lru_cache

from zgadka.text.skeleton import unify

_LONGEST = 1000  # characters; what a longer message says is not said plainly

_CLAUSE = re.compile(r"[.,;:!?()\n…\"«»“”]+|\s-+\s|\b(?:but|however|але|проте|однак|но|однако)\b")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_REFUSING_EMOJI = re.compile("[👎❌🛑🚫⛔✋🙅✖]")
_AGREEING_EMOJI = re.compile("[👍✅👌☑✔🆗]")

# May stand before the word that matters. Agreement too: "yes, cancel" cancels.
_LEAD_IN = frozenset(
    "oh ah um hmm hm well so please just actually then and wait sorry now again thanks thank you hey bot dear rather better"
    " absolutely definitely certainly obviously honestly hell heck god i said id ill we lets would uh er eh ugh look"
    " ой ох а ну та то ж же і й будь ласка краще просто взагалі дякую вибач вибачте стривай звісно звичайно точно я кажу"
    " нее-а давай ти ви все-таки все таки"
    " и пожалуйста лучше вообще спасибо извини извините конечно тогда уж подожди-ка говорю уже".split()
)
_AGREE = frozenset(
    "yes yeah yep yup yea ya aye sure ok okay okey k kk confirm confirmed confirming agreed agree affirmative absolutely"
    " definitely certainly correct right alright fine exactly indeed yass"
    " так ага угу авжеж звісно звичайно добре гаразд згоден згодна підтверджую підтверджено окей ок точно певно хай нехай"
    " да давай конечно хорошо ладно согласен согласна подтверждаю угу верно точно разумеется".split()
)
_AGREE_PHRASES = (
    "go ahead,do it,do that,please do,of course,why not,no problem,no problems,no worries,no objection,no objections,"
    "not a problem,i agree,i confirm,go for it,sounds good,for sure,by all means,i dont mind,i do,"
    "без проблем,нема проблем,немає проблем,не проти,я не проти,не заперечую,роби,зроби це,давай,без заперечень,"
    "нет проблем,не против,я не против,не возражаю,делай,без возражений,само собой"
)
_DELETE = frozenset(
    "delete deleted remove removed erase erased drop clear discard wipe"
    " видали видаліть видаляй видаляйте видалити видаляти зітри зітріть стирай стерти прибери приберіть прибрати вилучи"
    " удали удалите удаляй удаляйте удалить удалять сотри сотрите стирай стирайте стереть убери уберите убрать".split()
)
_OBJECT = frozenset(
    "it this that them these those all everything please now the a an my one ones memory memories fact facts note notes"
    " entry entries record records id yes thanks thank you both too for me do go ahead i forever permanently completely"
    " anyway then and of course want to am sure absolutely"
    " це цей цю ці його її їх все всі усе усі будь ласка мій мою моє мої спогад спогади факт факти нотатку нотатки запис"
    " записи про та і дякую зараз назавжди повністю справді хочу вже я можеш можна обидва обидві то"
    " это этот эту эти его ее её их всё мой моё мои воспоминание воспоминания заметку заметки запись пожалуйста и спасибо"
    " сейчас навсегда полностью конечно уже можешь можно оба обе".split()
)

_NO = frozenset(
    "no nope nah nay noo nooo never ні нє нєє неа не-а нее ніні ні-ні нет неет нетнет нет-нет нит nein non nie".split()
)
# A clause that starts like a refusal and is none.
_NOT_REFUSING = re.compile(
    r"(?:no|not a|not any|zero) (?:problems?|worr(?:y|ies)|doubts?|objections?|issues?|idea|clue|biggie|question|matter|longer"
    r"|one|wonder|offen[cs]e|kidding|comment|need to (?:ask|confirm|worry|keep|save|store|remember))\b"
    r"|not (?:sure|certain|bad|only|entirely sure|really sure|so sure|needed|necessary to keep)\b|nobody\b|nothing\b"
    r"|(?:нема|немає|ніяких|жодних|нет|никаких|ні|без) (?:проблем\w*|питань|заперечень|вопросов|возражений)\b"
    r"|ні фіга|ніфіга|ні хрена|ні чорта|нічого собі|ничего себе|ни фига|нифига"
    r"|не (?:проти|заперечую|знаю|впевнен\w+|певен|певна|розумію|проблема|питання|тільки|лише|забудь видалити|погано)\b"
    r"|не (?:против|возражаю|уверен\w*|понимаю|вопрос|только|забудь удалить|плохо)\b"
)
_KEEPING = (
    r"keep|keeping|save|saving|store|storing|remember|remembering|retain|retaining|hold on to|need|stop|hesitate|mind|know"
    r"|think|care|understand|ask|asking|worry|wait|forget to (?:delete|remove|erase)"
)
_NEGATED = re.compile(
    rf"\b(?:(?:dont|do not|donot|dnt|never|please not|must not|mustnt|should not|shouldnt|cannot|cant|wont|will not|dare not)\b"
    rf"(?! (?:you|we|\w+ ?ly)? ?(?:{_KEEPING})\b)(?:$| (?:ever |you |dare |really |actually |just |please |want |would |like |to "
    r"|have |need |go |even |try |start |let )*(?:delete|remove|erase|forget|do|touch|drop|clear|wipe|discard|lose|change|that|it"
    r"|this|them|anything|$)))"
    r"|\b(?:rather|better|absolutely|definitely|certainly|of course|probably|please|id rather|hell|maybe|i said|preferably) (?:not|no)\b"
    r"|\b(?:краще|лучше|точно|звісно|звичайно|конечно|та|ну|ой|ой-ой) (?:не|ні|нет|нє)\b"
)
_SLAVIC_NEGATED = re.compile(
    r"\b(?:не) (?:(?:смій|вздумай|думай|потрібно|треба|надо|нужно|варто|стоит|хочу|хочеться|хочется|можна|нада|буду|будем|будемо"
    r"|роби|робіть|делай|делайте|чіпай|чіпайте|чипай|трогай|трогайте|займай|рухай|погоджуюсь|погоджуюся|згоден|згодна|согласен"
    r"|согласна|підтверджую|подтверждаю|дозволяю|разрешаю|забувай|забувайте|забывай|забывайте|зараз|сейчас|цей|цю|це|ту|той|те"
    r"|этот|эту|это|тот)\b|(?:видал|вилуч|стира|стир|зітр|прибира|прибер|удал|сотр|убира|убер|очища|чист|скида)\w*)"
)
_NOT_FIRST = re.compile(r"(?:not|не)\b")
_STOPPING = re.compile(
    r"(?:cancel(?:led)?|abort|halt|nevermind|never mind|undo|hold on|hang on|back off|hands off"
    r"|stop(?! (?:remember|stor|keep|sav|ask|track|record))|wait|leave (?:it|that|this|them|those|everything|all|my|the|alone|as)"
    r"|keep(?! (?:going|on\b|calm))|(?:i )?(?:want|need|would like|prefer) to keep|i (?:changed|change) my mind|changed my mind|refuse|i refuse"
    r"|i disagree|disagree|denied|deny|reject|decline|leave$|skip(?: it| that| this)?$"
    r"|скасуй\w*|скасувати|скасовую|скасуйте|відміна|відміни\w*|відміняй\w*|відміняю|стоп|зупинись|зупиніться|спини\w*|залиш\w*"
    r"|лиши\w*|лишай\w*|почекай\w*|зачекай\w*|чекай\w*|стій|стривай|збережи|збережіть|передума\w+|я передума\w+|відмовляюс[ья]"
    r"|я відмовляюс[ья]|нехай (?:буде|лишається|залишається|залишиться)|хай (?:буде|лишається|залишається|залишиться)"
    r"|отмена|отмени\w*|отменя\w*|отставить|оставь\w*|оставить|оставляй\w*|подожди\w*|погоди\w*|стой\w*|сохрани\w*|отказываюсь"
    r"|я отказываюсь|пусть (?:будет|останется|остается|остаётся)|ніколи|никогда|ни в коем случае|в жодному разі|ні в якому разі)\b"
)
_DOUBT = re.compile(
    r"\b(?:maybe|perhaps|not|dont|idea|think|unsure|or|if|what|why|how|which|when|unless|except|можливо|може|мабуть|або|чи|якщо"
    r"|крім|окрім|не|ні|собі|що|как|что|может|или|если|кроме|наверное)\b"
)


@lru_cache(maxsize=256)
def plainly_refuses(text: str) -> bool:
    """Tell whether a message plainly refuses what was asked: "no", "don't", "keep it", "ні, не треба", "отмена".

    "No problem" and "I have no idea" refuse nothing. Where a message both agrees and refuses, it refuses.

    Args:
        text: What the person wrote; read up to 1,000 characters.
    """
    message = unify(text[:_LONGEST])
    if _REFUSING_EMOJI.search(message):
        return True
    return any(_clause_refuses(clause) for clause in _clauses(message))


@lru_cache(maxsize=256)
def plainly_agrees(text: str) -> bool:
    """Tell whether a message plainly agrees to a deletion: "yes", "ok, delete it", "так, видали", "угу".

    Never true when `plainly_refuses` is, nor for a question, a doubt or a condition.
    """
    message = unify(text[:_LONGEST])
    if len(text) > _LONGEST or "?" in message or plainly_refuses(text):
        return False
    words = _WORD.findall(message)
    if not words:
        return _AGREEING_EMOJI.search(message) is not None
    sentence = " ".join(words)
    rest = _without_phrases(sentence)
    agreed = rest != sentence or words[0] in _AGREE or any(word in _AGREE for word in words[:3])
    left = rest.split()
    if all(word in _AGREE or word in _DELETE or word in _OBJECT for word in left):
        return agreed or any(word in _DELETE for word in left)
    return agreed and not _DOUBT.search(rest) and any(word in _DELETE for word in left)


def _without_phrases(sentence: str) -> str:
    return " ".join(_PHRASES.sub(" ", sentence).split())


_PHRASES = re.compile(rf"\b(?:{'|'.join(_AGREE_PHRASES.split(','))})\b")


def _clauses(message: str) -> list[list[str]]:
    return [words for clause in _CLAUSE.split(message) if (words := _WORD.findall(clause))]


def _clause_refuses(words: list[str]) -> bool:
    sentence = " ".join(words)
    if sentence.startswith("why "):
        return False
    if _NEGATED.search(sentence) or _SLAVIC_NEGATED.search(sentence):
        return True
    for start in range(len(words)):
        rest = " ".join(words[start:])
        if not _NOT_REFUSING.match(rest) and (words[start] in _NO or _NOT_FIRST.match(rest) or _STOPPING.match(rest)):
            return True
        if words[start] not in _LEAD_IN and words[start] not in _AGREE:
            return False
    return False
