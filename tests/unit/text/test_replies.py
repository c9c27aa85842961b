"""Yes and no in twelve languages: `tests/data/replies.md`."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reply_labels import Reply, check_bars, read_replies

from zgadka.text.reply_words import LANGUAGES
from zgadka.text.yes_no import Asked, agreed, plainly_agrees, plainly_refuses

REFUSALS = """no|nope|don't|stop|ні|не треба|нет|не надо|net|nyet|nie|nie trzeba|nein|nö|bitte nicht|lieber nicht|non
surtout pas|pas encore|mejor no|ni hablar|meglio di no|assolutamente no|não|melhor não|hayır|olmaz|gerek yok|ne
v žádném případě|nee|liever niet|👎|🙅|нi|nо|NOOOO|не-а|never""".replace("\n", "|").split("|")
AGREEMENTS = [reply for reply in read_replies("replies") if reply.label == "agree"]

DIRECTIONS = """delete|agree|don't keep it
delete|refuse|keep it
delete|refuse|save it
delete|refuse|don't delete it
erase|agree|don't keep anything
erase|agree|forget me
erase|agree|видали все
erase|neither|delete it
erase|neither|yes, delete it
erase|neither|delete 2
erase|neither|don't keep it
erase|refuse|keep everything
save|agree|save it
save|agree|keep it
save|agree|don't forget it
save|refuse|don't save it
save|refuse|delete it
allow|agree|go ahead
allow|agree|нехай
allow|agree|пусть
allow|agree|let him change it
allow|refuse|keep it
allow|refuse|don't change it
allow|neither|delete it
allow|refuse|don't keep it
delete|agree|you no longer have to remember that
delete|agree|I don't want anybody to see it
delete|agree|why would you know that? delete it
delete|refuse|you no longer have to delete it
delete|refuse|I don't want you to delete it
delete|neither|why would you know that?
delete|neither|what is it? delete what?
save|refuse|не треба це запам'ятовувати
save|neither|I want to see it
erase|agree|everything, please
erase|agree|leave nothing behind
erase|neither|everything?
erase|neither|everything but my birthday
delete|neither|change it
delete|neither|I don't remember
delete|neither|I can't keep it""".splitlines()

SPELLINGS = """uk|нi|refuse
en|nо|refuse
uk|тaк|agree
ru|da, udalyai|agree
ru|nyet|refuse
ru|da, udaliaj|agree
uk|vydalyaj|agree
en|yesssssss|agree
en|deltee it|agree
pl|usun to|agree
de|loesch es|agree
fr|d’accord|agree
tr|HAYIR|refuse
cs|smaz to|agree
ru|да удаляйй|agree
ru|да, удоляй|agree
cs|ano smž to|agree
en|yse delte it|agree
en|yesss pleaseee delete thatt|agree
pl|tak, usjń to|agree""".splitlines()

NOT_ALL_OF_IT = """en|yes, delete 42
en|yes Ann
en|ok Amy
en|yes, but later
en|"yes"
en|> yes
en|yes, I am
en|I do not remember
en|not all of it
uk|так, я тут
de|ja, ich auch
de|gut und dir
fr|oui je suis là
es|si lo borras
it|sì ci sono
pl|tak mamo""".splitlines()

REASONS = """en|delete it, I sold the bike last year
en|yes, I moved anyway
en|we broke up, delete that please
en|it's out of date so delete away
en|okay so uh yes go ahead and forget that, I recovered
en|whatever, delete it
en|omg yes get that shit out of there haha
en|the chess one? yes, delete
en|yes, no. 24 can go
en|no point keeping it, delete
en|I'd appreciate it if you deleted that
uk|можна прибирати, велосипед я вже продала
uk|ну так е-е можеш забути я вже не хворію
uk|нащо його тримати, видаляй
uk|та пофіг, зітри це
uk|будьте ласкаві, видаліть, бо воно застаріло
ru|да удали, вдруг кто увидит
ru|это была шутка, удаляй
pl|możesz skasować, motor już kupiony
pl|tak, nie mam nic do ukrycia
de|hab ich letztes jahr verkauft, lösch das
de|das mach ich nicht mehr, bitte entfernen
fr|oui c'est bon, j'ai rien à cacher
fr|ça sert à rien de garder ça, supprime
es|elimínalo, la moto ya me la compré
es|claro, no tengo nada que esconder
it|non lo faccio più, toglilo per favore
pt|não moro mais lá, pode apagar
tr|silebilirsin, motoru aldım bile
cs|můžeš smazat, motorku už mám
nl|haal maar weg, die motor heb ik al
en|let me think... yes, delete it
en|why is it even there? delete it
en|sold, delete it
en|yes please, can you delete it, thanks?
uk|хочу, щоб ти це видалив
uk|не хочу, щоб хтось це бачив
uk|навіщо тобі це знати, видаляй
uk|ще коробки стоять, переїхали. Видаляй
ru|можешь больше не помнить об этом
ru|колени не те. Убирай
pl|nie musisz już tego trzymać
de|ich will nicht, dass das jemand sieht
de|brauchst du dir nicht mehr merken
fr|t'as plus besoin de retenir ça
fr|tu as ma permission
es|ya no hace falta que lo recuerdes
it|non voglio che qualcuno lo veda
pt|já não precisas de guardar isso
tr|aklında tutmana gerek yok
cs|tohle si pamatovat nemusíš
nl|dat hoef je niet meer te onthouden""".splitlines()

NO_REASONS = """en|yes mom, I already did the dishes
en|delete it, the one about my job
en|delete it, Ann
en|yes, delete my phone number
en|sure, and give him my keys
en|Tom said yes, delete it
en|Mom: delete it
en|@Mike delete it, I have sent the file
en|once I sell the bike, delete it
en|in case I sell the bike, delete it
en|brilliant, delete it, my wife will kill me
en|ask Anna, then delete it
en|delete it, but first make a copy
en|delete it if you like, no idea
en|you don't need to delete it
en|pointless to delete it
en|it would be a mistake to delete it
en|I always forget
en|he wants to delete it
en|I want to know if you delete it
en|maybe, delete it
en|delete it, maybe
en|yes, I sold it to him
en|delete the old one, I still use the other
en|who said that? delete what?
uk|хочу, щоб ти спитав завтра
ru|можешь больше не удалять
de|alte kannst du streichen, Bücher sammel ich noch
tr|evet Selin
it|sì, casa
cs|ano Jana
uk|викинь сміття, будь ласка
es|saca la basura por favor
en|yes 🤣
en|yes next week
uk|так, я люблю шахи
uk|так, видали мій номер
uk|спитай Ганну, тоді видали
uk|видали те, що про роботу
ru|да, но сначала сделай копию
ru|ну да, ну да
pl|tak, mamo, już zmyłam
de|ja, jeden Sonntag mit meinem Bruder
fr|il veut le supprimer
es|si lo vendo, bórralo
it|certo, e pure le chiavi di casa
pt|kkkkk
tr|evet anne, bulaşıkları yıkadım
cs|ano, smaž moje číslo
nl|ja hoor, en mijn huis ook""".splitlines()


ORDINARY = """en|delete|agree|no wait, i checked, yes delete it
en|delete|agree|hold on... ok yes, delete it
en|delete|refuse|wait, no
en|delete|refuse|no wait, i checked, keep it
en|delete|neither|no wait, i checked, yes delete the other one
en|delete|agree|done with the dentist already so yes remove it
en|delete|agree|he paid me back last week so delete it
en|allow|agree|yes, she's my wife
en|allow|neither|ok, she's my wife
en|delete|neither|yes, she's my wife
en|delete|agree|that would be great, thanks
en|save|agree|yes please, it was delicious
en|save|refuse|that's wrong
en|delete|agree|that's wrong, delete it
en|allow|refuse|only me
en|allow|refuse|nooo it's still on wednesday
en|allow|neither|he's a nice guy
en|save|agree|save it, I always forget it
en|save|neither|let me check
en|delete|neither|yeah the dentist was awful
en|delete|neither|yes what? sorry, which note
uk|delete|agree|ні стоп, подумав, так, видаляй
uk|delete|refuse|ні стоп
uk|save|agree|було б добре, збережіть, дякую
uk|delete|agree|так, вже неактуально
uk|save|refuse|це неправда
uk|delete|agree|це неправда, видаляй
uk|allow|neither|ще не вирішила
uk|allow|agree|так, це мій брат
ru|delete|agree|да, аллергии больше нет
pl|save|agree|no jasne, zapisz
pl|delete|agree|tak, nie mam już alergii
de|delete|neither|weiß ich noch nicht
es|allow|agree|sí, cámbiala por favor
es|delete|neither|todavía no lo sé
it|allow|agree|certo che può
pt|delete|neither|ainda não sei
tr|allow|agree|evet taşındık
cs|delete|refuse|nech ho
nl|delete|agree|ja, ben al geweest
nl|delete|neither|weet ik nog niet""".splitlines()

THIRD_PERSONS = """en|allow|agree|he may keep it
en|allow|refuse|she can't store that
uk|allow|agree|нехай зберігає
uk|allow|refuse|хай не записує
uk|allow|refuse|не хочу щоб вона це зберігала
ru|allow|agree|пусть запишет
ru|allow|refuse|пусть не записывает
pl|allow|agree|niech zapisze, luz
cs|allow|agree|ať si to uloží
cs|allow|refuse|ať to neukládá
de|allow|agree|kann er sich merken
de|allow|refuse|soll sie nicht speichern
fr|allow|agree|elle peut le garder
fr|allow|refuse|elle peut pas garder ça
es|allow|agree|sí, que lo guarde
es|allow|refuse|que no lo guarde
it|allow|agree|che lo salvi pure
it|allow|refuse|non voglio che lo salvi
pt|allow|agree|sim, ela pode guardar
pt|allow|refuse|ela não pode guardar
nl|allow|agree|ze mag het opslaan
nl|allow|refuse|ze mag dat niet bewaren
tr|allow|agree|saklayabilir
tr|allow|refuse|kaydetmesin
en|delete|refuse|he may keep it""".splitlines()

TAKEN_BACK = """en|delete|agree|no, i mean yes, delete it
en|delete|refuse|yes, i mean no, keep it
en|delete|refuse|stop, yes, delete it
en|delete|refuse|no, i mean yes, delete the other one
en|delete|refuse|no sorry
en|delete|refuse|nvm keep it
uk|delete|agree|ой ні, тобто так, видаляй
uk|delete|refuse|так, тобто ні, не видаляй
pl|delete|agree|nie... znaczy tak, usuń
pl|delete|refuse|tak, znaczy nie, zostaw
de|delete|agree|nein, ich meine ja, lösch das
fr|delete|agree|non, je veux dire oui, supprime
fr|delete|refuse|oui enfin non, supprime pas
es|delete|refuse|no perdón, sí, bórralo
en|delete|refuse|no sorry yes, delete it was a mistake
en|delete|refuse|don't delete it! sorry, yes, delete it was a typo
en|delete|refuse|no i mean yes, delete it was a typo
uk|delete|refuse|ні, вибач, так, видали це був жарт
uk|delete|refuse|ні, тобто так, видали це жарт
pt|delete|agree|não, quer dizer sim, apaga
nl|delete|agree|nee, ik bedoel ja, verwijder maar
cs|delete|agree|ne, teda jo, smaž to""".splitlines()

REPEATED = """en|save|lives in Lviv|yes I live in Lviv|agree
en|delete|lives in Lviv|yes I live in Lviv|neither
en|delete|goes to the dentist on Monday|yes, the dentist|agree
en|delete|goes to the dentist on Monday|yes, the lawyer|neither
en|allow|changes the day to Thursday|yes Thursday|agree
uk|save|день народження Олі 12 червня|так, 12 червня|agree
uk|save|день народження Олі 12 червня|так, 13 червня|neither""".splitlines()


GOES_ON = """en|delete|the note "Tom owes me 20"|yup he paid me back|agree
en|delete|your old wifi code|yes its been changed|agree
en|delete|the parcel note|yes it arrived 😂|neither
en|delete|the parcel note|yes finally arrived 😂|agree
en|delete|the wedding guest list|yes please the wedding's over|agree
en|delete|your ex|PLEASE 😭|agree
en|delete|the draft|please|neither
en|delete|the draft|please explain|neither
en|delete|the draft|oh please|neither
en|erase|everything|please!!|neither
en|delete|the draft|yes delete it they fixed the printer on monday|agree
en|delete|the dentist|yes mum I'll be there at 8|neither
en|delete|the dentist|yeah we should go|neither
en|delete|the dentist|yes I still go there|neither
en|delete|the dentist|yes the dentist was nice|neither
en|delete|the dentist|yes I paid you back already|neither
en|delete|the dentist|yes sorry i'm late|neither
en|delete|the dentist|yesss finally friday|neither
en|delete|the dentist|yes as soon as I've copied it|neither
en|delete|the dentist|yes delete the other one|neither
en|delete|the dentist|yes and remind me tomorrow|neither
en|delete|the dentist|yep paid the babysitter|neither
en|erase|everything|yes I moved out|neither
en|erase|everything|yes the old ones|neither
en|delete|the gym|i cancelled my membership|neither
en|delete|the gym|we do not meet|neither
en|delete|Portugal|one sec im driving|neither
uk|delete|ремонт|не їду|neither
en|delete|the only copy|its the only copy i have so no|refuse
en|save|your pills at 9|yes please love, I always forget|agree
en|save|your daughter|yes 😊 she's so excited|agree
en|save|the vet|yes and remind me to call on monday|agree
en|save|the vet|yes and buy milk|neither
en|save|the vet|yes i love that song|neither
en|allow|let Marta see your notes|u can, shes my sister|agree
en|allow|merge the two notes|oh yeah they're the same thing, merge em|agree
en|allow|let Marta see your notes|yes i told Marta already|neither
uk|delete|старий розклад|тааак, вже новий дали|agree
uk|delete|борг|так, він віддав|agree
uk|delete|ремонт|так, я вже їду|neither
uk|delete|ремонт|так, шефе, звіт здав|neither
uk|delete|ремонт|так, кумо, переїхали вже|neither
uk|delete|ремонт|так, нарешті п'ятниця|neither
uk|delete|ремонт|вона мені ще знадобиться, тому ні|refuse
uk|save|тренування|угу і постав нагадування за годину|agree
uk|save|код|так, візьми парасольку|neither
uk|allow|підсумок щоранку|о було б супер, надсилай|agree
ru|delete|долг|да, он вернул|agree
ru|delete|дача|да, я уже выхожу|neither
ru|save|обувь|да, и напомни в субботу|agree
pl|delete|egzamin|tak usun, zdalam!!|agree
pl|delete|egzamin|tak, wreszcie piątek|neither
de|delete|adresse|ja, wir sind umgezogen|agree
de|delete|zahnarzt|ja schatz, hab ich gekauft|neither
de|delete|notiz|die brauch ich täglich also nein|refuse
fr|delete|appart|oui supprime jai déménagé|agree
fr|delete|dentiste|oui j'ai acheté les billets|neither
es|delete|dentista|sí cariño, ya compré el pan|neither
it|delete|dentista|sì capo, già fatto|neither
pt|allow|um resumo toda manhã|simm ia adorar 😍|agree
pt|delete|dentista|sim comprei os ingressos|neither
tr|delete|dişçi|evet patron, raporu bitirdim|neither
cs|delete|zubař|jo šéfe, je to hotový|neither
nl|delete|tandarts|ja ben al onderweg|neither""".splitlines()


def _verdict(text: str, asked: Asked = "delete", language: str | None = None) -> str:
    if plainly_refuses(text, asked):
        return "refuse"
    return "agree" if agreed(text, {24: "likes chess"}, asked, language) else "neither"


def _check_verdict(line: str) -> None:
    language, asked, verdict, text = line.split("|")
    assert _verdict(text, asked, language) == verdict  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", ["replies", "replies_ordinary", "replies_chat"])
def test_yes_and_no_are_understood_and_nothing_else_is_a_yes(name: str) -> None:
    check_bars(name)


def test_what_a_yes_goes_on_with_makes_no_agreement_of_what_takes_it_back() -> None:
    check_bars("replies_going_on", agreement=0.6)


GOING_ON = """\
en|delete|agree|Yes, delete it. Nobody has played that here since we moved.
en|delete|refuse|Yes, delete it. Not now though.
en|delete|neither|Yes, delete it. When you have shown me the rest.
en|delete|neither|Yes, delete it. I mean the one about tea.
en|delete|agree|yes delete it and tell me what else is there
uk|delete|agree|так, видаляй, усі давно вже з того виросли
uk|delete|neither|так, видаляй, якщо всі давно вже про це забули
uk|delete|agree|ок, видаляй і скажи яка погода завтра
es|delete|neither|sí bórralo, cuando me hayas enseñado qué más tienes guardado""".splitlines()


@pytest.mark.parametrize("line", GOING_ON)
def test_what_is_told_behind_a_yes_and_the_order_takes_from_them_only_where_it_begins_so(line: str) -> None:
    _check_verdict(line)


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_replies_say_what_a_reader_takes_them_for(line: str) -> None:
    _check_verdict(line)


@pytest.mark.parametrize("line", THIRD_PERSONS)
def test_who_lets_a_third_person_store_it_agrees(line: str) -> None:
    _check_verdict(line)


@pytest.mark.parametrize("line", TAKEN_BACK)
def test_what_stands_before_a_correction_counts_no_more_where_a_yes_and_the_order_follow(line: str) -> None:
    _check_verdict(line)


@pytest.mark.parametrize("line", REPEATED)
def test_a_yes_that_repeats_what_was_asked_agrees(line: str) -> None:
    _check_verdict_on_memory(line)


@pytest.mark.parametrize("line", GOES_ON)
def test_a_yes_goes_on_with_what_tells_of_the_memory_and_with_nothing_else(line: str) -> None:
    _check_verdict_on_memory(line)


def _check_verdict_on_memory(line: str) -> None:
    language, asked, memory, text, verdict = line.split("|")
    reply = Reply("", language, asked, {0: memory}, text, verdict)  # pyright: ignore[reportArgumentType]
    assert reply.verdict() == verdict


@pytest.mark.parametrize("line", DIRECTIONS)
def test_what_is_asked_decides_what_an_order_says(line: str) -> None:
    asked, verdict, text = line.split("|")
    assert _verdict(text, asked) == verdict  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("line", SPELLINGS)
def test_other_spellings_say_the_same(line: str) -> None:
    language, text, verdict = line.split("|")
    assert _verdict(text, language=language) == verdict


@pytest.mark.parametrize("line", NOT_ALL_OF_IT)
def test_what_speaks_of_more_or_less_or_of_others_agrees_to_nothing(line: str) -> None:
    language, _, text = line.partition("|")
    assert _verdict(text, language=language) != "agree"


@pytest.mark.parametrize("line", REASONS)
def test_reasons_before_and_after_the_answer_may_be_told_in_any_words(line: str) -> None:
    language, _, text = line.partition("|")
    assert _verdict(text, language=language) == "agree"


@pytest.mark.parametrize("line", NO_REASONS)
def test_what_is_said_to_others_or_of_something_else_is_no_reason(line: str) -> None:
    language, _, text = line.partition("|")
    assert _verdict(text, language=language) != "agree"


def test_who_names_one_of_two_things_agrees_to_a_part() -> None:
    texts = {24: "has a son Tim and a daughter Ada"}
    assert not agreed("delete Ada", texts, language="en")
    assert agreed("delete Tim and Ada", texts, language="en")


def test_who_names_one_thing_and_tells_of_another_agrees_to_a_part() -> None:
    texts = {24: "plays chess with Jan"}
    assert not agreed("delete Jan, the chess club goes on", texts, language="en")
    assert agreed("delete Jan, we fell out last year", texts, language="en")


@given(st.sampled_from(AGREEMENTS), st.sampled_from(REFUSALS), st.sampled_from([". ", ", ", "\n", "! "]), st.booleans())
def test_a_refusal_of_any_language_beside_an_agreement_never_agrees(
    reply: Reply, refusal: str, between: str, is_first: bool
) -> None:
    text = between.join([refusal, reply.text] if is_first else [reply.text, refusal])
    assert plainly_refuses(text, reply.asked)
    assert not agreed(text, reply.texts, reply.asked, reply.language)
    assert not plainly_agrees(text, reply.asked, reply.language)


@given(st.text(), st.sampled_from([None, *LANGUAGES, "pt-BR", "xx"]))
def test_no_text_is_both_in_any_language(text: str, language: str | None) -> None:
    assert not (plainly_refuses(text) and plainly_agrees(text, language=language))


def test_an_agreement_counts_in_the_persons_language_and_in_english_alone() -> None:
    assert _verdict("oui", language="fr") == _verdict("yes", language="fr") == "agree"
    assert _verdict("oui", language="de") == "neither"
    assert _verdict("так", language="xx") == "neither"
    assert _verdict("sim", language="pt-BR") == "agree"


def test_where_the_language_is_not_known_each_of_the_twelve_agrees_and_nothing_else_does() -> None:
    assert _verdict("так") == _verdict("oui") == _verdict("ja") == _verdict("evet") == "agree"
    of_nobody = [replace(reply, language=None) for reply in read_replies("replies") + read_replies("replies_ordinary")]
    assert not [reply.id for reply in of_nobody if reply.verdict() == "agree" != reply.label]
