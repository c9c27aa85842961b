"""How much of what answers a question is in a context, on LoCoMo, and what a typical context looks like.

`./run bench context FILE.json` measures; without a file it renews the contexts that docs/context.md prints.

Each conversation is a group chat of a memory of its own, stored as messages and searched by words only. A question is
asked by somebody who does not speak in it, twice: a day after the last talk, and inside the conversation, once the talk
after the last one that answers it is over. What is counted is the share of the answering turns that the context shows.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from zgadka import Member, Memory, Settings, Turn, open_memory
from zgadka.evals.data import Conversation, Question, load_benchmark
from zgadka.model.turn import person_number
from zgadka.text.token_estimate import weigh

BUDGETS = (1000, 2000)
PLATFORM = "eval"
ASKER = "somebody who asks"
NUMBER = re.compile(r"\(?\buser_id -?\d+\)?")
Shares = dict[tuple[str, int], list[float]]


async def measure(
    conversation: Conversation, folder: str, budgets: Sequence[int], shares: Shares, ids: list[float]
) -> None:
    """Ask the questions of one conversation and add to `shares` how much of each one's evidence was shown."""
    now = [conversation.turns[0].at]
    settings = Settings(query_ms=3_600_000, message_days=36_500)
    async with open_memory(f"sqlite:///{folder}/context.db", settings=settings, clock=lambda: now[0]) as memory:
        for name in dict.fromkeys(turn.speaker for turn in conversation.turns):
            member = Member(user=name, number=person_number(PLATFORM, name), name=name)
            await memory.report_member(PLATFORM, conversation.name, member)
        sessions = list(dict.fromkeys(turn.session for turn in conversation.turns))
        talk_of = {turn.id: sessions.index(turn.session) for turn in conversation.turns}
        stored: dict[int, str] = {}
        for talk, session in enumerate(sessions):
            for turn in conversation.turns:
                if turn.session == session:
                    now[0] = turn.at
                    event = turn_of(conversation, turn.speaker, turn.at, message=turn.id)
                    number = await memory.record("user", turn.text, event)
                    assert number is not None
                    stored[number] = turn.id
            now[0] += timedelta(minutes=2)
            for question in conversation.questions:
                if max(talk_of[id_] for id_ in question.turns) == talk - 1:
                    await ask(memory, conversation, question, "inside", now[0], budgets, stored, shares, ids)
        now[0] += timedelta(days=1)
        for question in conversation.questions:
            await ask(memory, conversation, question, "a day after", now[0], budgets, stored, shares, ids)


def turn_of(conversation: Conversation, user: str, at: datetime, message: str | None = None) -> Turn:
    """A turn in the conversation's chat."""
    return Turn(platform=PLATFORM, space=conversation.name, chat=conversation.name, user=user, message=message, time=at)


async def ask(
    memory: Memory,
    conversation: Conversation,
    question: Question,
    where: str,
    at: datetime,
    budgets: Sequence[int],
    stored: dict[int, str],
    shares: Shares,
    ids: list[float],
) -> None:
    """Build the context of a question at each budget."""
    for budget in budgets:
        context = await memory.build_context(turn_of(conversation, ASKER, at), budget, query=question.text)
        shown = {stored[message] for message in context.messages}
        shares[where, budget].append(len(question.turns & shown) / len(question.turns))
        ids.append(sum(weigh(found) for found in NUMBER.findall(context.text)) / max(weigh(context.text), 1))


FACTS = """
name: Olena; age: 34; location: Kyiv; job: nurse; birthday: May 3; timezone: Europe/Kyiv; employer: Okhmatdyt
allergy: birch pollen, peanuts, penicillin
pet: a cat named Murka, a parrot named Kesha
hobby: chess, pottery, hiking, sewing, photography, cycling, swimming, gardening, choir singing, board games
skill: first aid, baking bread, knitting, driving a truck, sign language, editing photos
language: Ukrainian, English, Polish, German
likes: borshch, varenyky, dark chocolate, green tea, blueberries, fresh bread, black coffee, mango, olives, honey
dislikes: liver, loud music, crowds, raw onions, spiders, long queues, cold soup, horror films
visited city: Lviv, Odesa, Warsaw, Krakow, Prague, Vienna, Graz, Berlin, Riga, Tallinn, Oslo, Bergen, Turin, Bologna
visited city: Ghent, Bruges, Basel, Zadar, Split, Porto
favorite book: Tiger Trappers, The Forest Song, Momo, Dune, Emma, Persuasion, Solaris, The Hobbit
favorite film: Amelie, Spirited Away, Casablanca, Arrival, Paddington, Coco, Her, Up
favorite dish: mushroom risotto, lentil soup, shakshuka, ramen, pad thai, syrnyky, ratatouille, paella
plant: a ficus, an aloe, two orchids, basil, thyme, mint, lavender, a lemon tree, ferns, a cactus
instrument: bandura, piano, ukulele
goal: learn the cello, visit Japan, build a sauna, read 50 books, get a dog, run a marathon
friend: Petro, Iryna, Taras, Halyna, Mykola, Oksana, Bohdan, Lesia
device: a Pixel phone, a ThinkPad, a Kindle, a Polaroid camera
cooks: on Sundays, for six people, without gluten, with her sister, in a wok
sport: volleyball, skiing, yoga, rowing
course: nutrition, wound care, paediatrics, statistics
"""
ASKED = "What do I do for a living, and what should I cook tonight?"
TALK = """
Petro: Did you find a place for the wedding, Olena?
Olena: Yep! It's the old mill by the lake, and they have rooms for sixty guests
Taras: How much do they want for the weekend?
Olena: 40,000 without the food, we pay half of it in June
Petro: My sister could bake the cake
Taras: I'm allergic to nuts, tell her please
"""
CHATTER = """
Petro: The train was late again today
Taras: Same here, I stood in Zhytomyr for an hour
Olena: I was at work until nine
Petro: Who is coming to the match on Friday?
Taras: I am
Olena: Not me, I am on call
"""
GROUP_ASKED = "What did the mill by the lake cost, and who must not eat nuts?"
DOCS = Path(__file__).parents[1] / "docs/context.md"
PRINTED = re.compile(r"(?<=<!-- printed by `\./run bench context` -->\n).*", re.DOTALL)


async def renew_docs() -> None:
    """Print the contexts of a group, and of a person with 150 facts, into docs/context.md."""
    now = [datetime(2026, 11, 20, 18, tzinfo=UTC)]
    async with open_memory("sqlite://:memory:", settings=Settings(message_days=36_500), clock=lambda: now[0]) as memory:
        blocks = [*await group(memory, now), *await person(memory, now)]
    printed = "\n".join(blocks)
    DOCS.write_text(PRINTED.sub(lambda _: f"\n{printed}", DOCS.read_text()))


def block(heading: str, text: str) -> str:
    """A context as the page shows it."""
    return f"{heading}\n\n```text\n{text}\n```\n"


async def group(memory: Memory, now: list[datetime]) -> list[str]:
    """Three people with long ids, in a group chat."""
    numbers = {"Olena Koval": 2820888938758287, "Petro": 5512043377180021, "Taras": 7719345002248613}
    for name, number in numbers.items():
        member = Member(user=str(number), number=number, name=name)
        await memory.report_member("telegram", "friends", member)
    turns = {name.split()[0]: number for name, number in numbers.items()}

    def turn(name: str, count: int) -> Turn:
        return Turn(
            platform="telegram", space="friends", chat="friends", user=turns[name], turn=f"g{count}", time=now[0]
        )

    count = 0
    for talk in (TALK, CHATTER):
        for line in talk.strip().splitlines():
            name, _, said = line.partition(": ")
            count, now[0] = count + 1, now[0] + timedelta(minutes=1)
            await memory.record("user", said, turn(name, count))
            if "allergic" in said:
                fact = {"fact_type": "personal", "fact_key": "allergy", "fact_value": "nuts", "confidence": 0.95}
                await memory.call("remember_fact", {"user_id": turns[name], **fact}, turn(name, count))
        now[0] += timedelta(days=3)
    context = await memory.build_context(turn("Petro", count + 1), 1000, query=GROUP_ASKED)
    return [block(f"A group, asked by Petro “{GROUP_ASKED}” ({context.tokens} tokens):", context.text)]


async def person(memory: Memory, now: list[datetime]) -> list[str]:
    """A person of whom 150 facts are known, in a direct chat."""
    count = 0

    def turn() -> Turn:
        return Turn(platform="telegram", space="5", chat="5", user=5, turn=f"p{count}", time=now[0], direct=True)

    for line in FACTS.strip().splitlines():
        for entry in line.split("; "):
            key, _, values = entry.partition(": ")
            for value in values.split(", "):
                count += 1
                now[0] += timedelta(minutes=1)
                fact = {"fact_type": "personal", "fact_key": key, "fact_value": value, "confidence": 0.95}
                result = await memory.call("remember_fact", {"user_id": 5, **fact}, turn())
                assert result.status == "success", result
    job = {"user_id": 5, "fact_type": "personal", "fact_key": "job", "fact_value": "head nurse", "confidence": 0.95}
    count += 1
    await memory.call("update_fact_with_temporal", {**job, "valid_from": "2027-01-01"}, turn())
    blocks: list[str] = []
    for budget in (500, 1000):
        context = await memory.build_context(turn(), budget, query=ASKED)
        blocks.append(block(f"{count} facts, “{ASKED}”, with {budget:,} tokens:", context.text))
    summary = await memory.call("generate_profile_summary", {"user_id": 5, "max_words": 200}, turn())
    return [*blocks, block("`generate_profile_summary` with `max_words` 200:", summary["summary"])]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--budgets", type=int, nargs="+", default=BUDGETS)
    parser.add_argument("--conversations", type=int, default=None)
    options = parser.parse_args()
    if options.file is None:
        await renew_docs()
        return
    shares: Shares = defaultdict(list)
    ids: list[float] = []
    for conversation in load_benchmark(options.file, limit=options.conversations).conversations:
        with TemporaryDirectory() as folder:
            await measure(conversation, folder, options.budgets, shares, ids)
        print(conversation.name, {key: round(mean(values), 4) for key, values in shares.items()}, flush=True)
    print("| asked | tokens | questions | evidence shown |\n|---|---|---|---|")
    for (where, budget), values in shares.items():
        print(f"| {where} | {budget:,} | {len(values)} | {mean(values):.3f} |")
    print(f"share of the tokens that are ids: {mean(ids):.3f}")


if __name__ == "__main__":
    asyncio.run(main())
