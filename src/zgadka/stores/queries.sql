-- Queries by name, which every back end runs as they stand here; those that differ are in sqlite.sql and postgres.sql.
-- `{memory}` stands for the columns of a memory, `{heading}` for those without texts. Every query names the owner whose rows it touches.

-- name: owner_find
SELECT id, form FROM owner WHERE platform = :platform AND kind = :kind AND name = :name;

-- name: owners_find
SELECT id, form, kind, name FROM owner WHERE platform = :platform AND kind = :kind AND name = :name
UNION ALL
SELECT id, form, kind, name FROM owner WHERE platform = :platform AND kind = :other_kind AND name = :other_name;

-- name: owner_form
SELECT form FROM owner WHERE id = :owner;

-- name: owners_outdated
SELECT id FROM owner {index owner_form} WHERE form < :form
UNION ALL SELECT id FROM owner {index owner_form} WHERE form > :form ORDER BY id;

-- name: owner_put_form
UPDATE owner SET form = :form WHERE id = :owner;

-- name: owner_by_number
SELECT id, kind, platform, name FROM owner WHERE platform = :platform AND number = :number AND kind = 'person';

-- name: owner_get
SELECT id, kind, platform, name FROM owner WHERE id = :owner;

-- name: owners_present
-- Those in whose rows a person is by id, but for messages: who wrote one is a member.
SELECT owner FROM (
    SELECT id AS owner FROM owner WHERE platform = :platform AND kind = 'direct' AND name = :name
    UNION SELECT owner FROM member WHERE person = :person
    UNION SELECT owner FROM subject WHERE person = :person
    UNION SELECT owner FROM task WHERE person = :person
    UNION SELECT owner FROM outcome WHERE person = :person
    UNION SELECT owner FROM mute WHERE asker = :person) found
WHERE owner <> :person;

-- name: owner_add
INSERT INTO owner (id, kind, platform, name, number, form) VALUES (:owner, :kind, :platform, :name, :number, :form)
ON CONFLICT DO NOTHING;

-- name: owner_ensure
INSERT INTO owner (id, kind, platform, name, number, form) VALUES (:owner, :kind, :platform, :name, :number, :form)
ON CONFLICT DO NOTHING;

-- name: owners
SELECT id, kind, platform, name FROM owner ORDER BY id;

-- name: member_put
INSERT INTO member (owner, person, name, nickname, kind, role, left_at, level)
VALUES (:owner, :person, :name, :nickname, :kind, :role, :left_at, :level)
ON CONFLICT (owner, person) DO UPDATE SET
    name = excluded.name, nickname = excluded.nickname, kind = excluded.kind,
    role = excluded.role, left_at = excluded.left_at;

-- name: member_level
INSERT INTO member (owner, person, kind, level) VALUES (:owner, :person, 'person', :level)
ON CONFLICT (owner, person) DO UPDATE SET level = excluded.level;

-- name: member_level_get
SELECT level FROM member WHERE owner = :owner AND person = :person;

-- name: members_restricted
SELECT person FROM member WHERE owner = :owner AND level > 0;

-- name: member_raise_level
INSERT INTO member (owner, person, kind, level) VALUES (:owner, :person, 'person', :level)
ON CONFLICT (owner, person) DO UPDATE SET level = excluded.level WHERE excluded.level > member.level;

-- name: subjects_raise_level
UPDATE subject SET level = :level WHERE owner = :owner AND person = :person AND level < :level;

-- name: members_level
UPDATE member SET level = :level WHERE person = :owner AND level < :level;

-- name: subjects_level_anywhere
UPDATE subject SET level = :level WHERE person = :owner AND level < :level;

-- name: member_get
SELECT person, name, nickname, kind, role, left_at FROM member WHERE owner = :owner AND person = :person;

-- name: members
SELECT person, name, nickname, kind, role, left_at FROM member WHERE owner = :owner ORDER BY person;

-- name: members_some
-- Names of some people of a space, but of those who are invisible to memory.
SELECT person, coalesce(nickname, name) FROM member
WHERE owner = :owner AND kind = 'person' AND left_at IS NULL AND level < 2 AND coalesce(nickname, name) IS NOT NULL
ORDER BY person LIMIT :limit;

-- name: members_count
SELECT count(*) FROM member WHERE owner = :owner AND kind = 'person' AND left_at IS NULL;

-- name: memory_get
SELECT {memory} FROM memory WHERE owner = :owner AND id = :id;

-- name: memory_in_slot
SELECT {memory} FROM memory WHERE owner = :owner AND slot = :slot;

-- name: memory_with_key
SELECT {memory} FROM memory {index memory_key}
WHERE {visible} AND kind = 'fact'
    AND key = :key
ORDER BY id;

-- name: memory_visible
SELECT {memory} FROM memory
WHERE {visible}
ORDER BY id;

-- name: memory_headings
SELECT {heading} FROM memory
WHERE {visible};

-- name: memory_words_visible
SELECT id, words FROM memory
WHERE {visible};

-- name: memory_spaces
-- Space after space by the index: a person may have thousands of memories in one.
WITH RECURSIVE seen (lineage, space) AS (
    SELECT l.lineage, (SELECT min(m.space) FROM memory m
        WHERE m.owner = :owner AND m.lineage = l.lineage AND m.archived = 0 AND m.withheld = 0)
    FROM (SELECT CAST(:shared AS BIGINT) AS lineage UNION SELECT CAST(:lineage AS BIGINT)) l
    UNION ALL SELECT s.lineage, (SELECT min(m.space) FROM memory m
        WHERE m.owner = :owner AND m.lineage = s.lineage AND m.space > s.space AND m.archived = 0 AND m.withheld = 0)
    FROM seen s WHERE s.space IS NOT NULL)
SELECT DISTINCT space FROM seen WHERE space IS NOT NULL ORDER BY space;

-- name: memories_withheld
SELECT {memory} FROM memory WHERE owner = :owner AND withheld = :change AND withheld <> 0 ORDER BY id;

-- name: memory_parts
SELECT {memory} FROM memory {index memory_part} WHERE owner = :owner AND merged_into = :whole ORDER BY id;

-- name: memory_all
SELECT {memory} FROM memory WHERE owner = :owner ORDER BY id;

-- name: memory_ids
SELECT id FROM memory WHERE owner = :owner LIMIT :limit;

-- name: facts_archived
SELECT {memory} FROM memory {index memory_forgotten} WHERE owner = :owner AND kind = 'fact' AND archived <> 0 AND withheld = 0 ORDER BY id;

-- name: memory_values
SELECT id, content FROM memory WHERE owner = :owner AND kind IN ('fact', 'note');

-- name: memory_add
INSERT INTO memory ({memory}, slot, words, word_count) VALUES (
    :owner, :id, :kind, :space, :lineage, :type, :key, :content, :canonical, :confidence, :evidence, :excerpt,
    :tags, :permanent, :archived, :version, :said_by, :created_at, :updated_at, :topic, :importance, :valence, :chat, :mutual,
    :valid_from, :valid_to, :people, :messages, :audience, :withheld, :said_at, :follows, :merged_into, :closed,
    :slot, :words, :word_count)
ON CONFLICT (owner, slot, archived) DO NOTHING RETURNING id;

-- name: memory_put
UPDATE memory SET space = :space, type = :type, key = :key, content = :content, canonical = :canonical,
    confidence = :confidence, evidence = :evidence, excerpt = :excerpt, tags = :tags, permanent = :permanent,
    archived = :archived, version = :version, said_by = :said_by, updated_at = :updated_at,
    slot = CASE WHEN slot = :spare AND EXISTS (SELECT 1 FROM memory other
        WHERE other.owner = :owner AND other.slot = :slot AND other.archived = :archived AND other.id <> :id)
        THEN slot ELSE :slot END,
    words = :words, word_count = :word_count, topic = :topic, importance = :importance, valence = :valence,
    chat = :chat, mutual = :mutual, valid_from = :valid_from, valid_to = :valid_to,
    people = :people, messages = :messages, audience = :audience, withheld = :withheld,
    said_at = :said_at, follows = :follows, merged_into = :merged_into, closed = :closed
WHERE owner = :owner AND id = :id;

-- name: memory_remove
DELETE FROM memory WHERE owner = :owner AND id = :id;

-- name: memory_words
SELECT words FROM memory WHERE owner = :owner AND id = :id;

-- name: memory_slots
SELECT id, slot FROM memory WHERE owner = :owner;

-- name: memory_reword
UPDATE memory SET words = :words, word_count = :word_count WHERE owner = :owner AND id = :id;

-- name: subject_add
INSERT INTO subject (owner, person, kind, id, role, level)
VALUES (:owner, :person, :kind, :id, :role, :level) ON CONFLICT DO NOTHING;

-- name: subject_level
-- The level that a subject gets: nobody changes it until the row is there.
SELECT level FROM member WHERE owner = :owner AND person = :person;

-- name: subjects_remove
DELETE FROM subject WHERE owner = :owner AND kind = :kind AND id = :id AND :role IN ('', role);

-- name: subject_remove
DELETE FROM subject WHERE owner = :owner AND kind = :kind AND id = :id AND role = :role AND person = :person;

-- name: subjects_level
UPDATE subject SET level = :level WHERE owner = :owner AND person = :person;

-- name: subjects_said_by_authors
INSERT INTO subject (owner, person, kind, id, role, level)
SELECT DISTINCT m.owner, m.person, 'memory', s.memory, 'said', coalesce(b.level, 0) FROM source s
JOIN message m ON m.owner = s.owner AND m.id = s.message
LEFT JOIN member b ON b.owner = m.owner AND b.person = m.person
WHERE s.owner = :owner AND s.memory = :memory AND s.space = :owner AND m.role = 'user'
ON CONFLICT DO NOTHING;

-- name: subjects_retold
INSERT INTO subject (owner, person, kind, id, role, level)
SELECT DISTINCT a.owner, a.person, 'memory', s.memory, 'about', a.level FROM source s
JOIN subject a ON a.owner = s.owner AND a.kind = 'message' AND a.id = s.message AND a.role = 'about'
WHERE s.owner = :owner AND s.memory = :memory AND s.space = :owner ON CONFLICT DO NOTHING;

-- name: spaces_with_person
SELECT DISTINCT owner FROM subject WHERE person = :person AND kind = 'memory' ORDER BY owner;

-- name: subject_rows
SELECT DISTINCT id FROM subject
WHERE owner = :owner AND person = :person AND kind = :kind AND :role IN ('', role) ORDER BY id;

-- name: relations_of_person
SELECT {memory} FROM memory
WHERE {visible} AND kind = 'relation'
    AND id IN (SELECT s.id FROM subject s WHERE s.owner = :owner AND s.person = :person AND s.kind = 'memory')
ORDER BY id;

-- name: memories_said_by
SELECT {memory} FROM memory WHERE owner = :owner AND said_by = :name AND archived <= :archived ORDER BY id;

-- name: source_add
INSERT INTO source (owner, memory, space, message) VALUES (:owner, :memory, :space, :message) ON CONFLICT DO NOTHING;

-- name: source_remove
DELETE FROM source WHERE owner = :owner AND memory = :memory AND space = :space AND message = :message;

-- name: all_memories_from
SELECT owner, memory FROM source WHERE space = :space AND message = :message ORDER BY owner, memory;

-- name: sources_remove
DELETE FROM source WHERE owner = :owner AND memory = :memory;

-- name: sources_stray
DELETE FROM source WHERE owner = :owner AND memory = :memory
    AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.owner = source.owner AND m.id = source.memory);

-- name: sources_of
SELECT space, message FROM source WHERE owner = :owner AND memory = :memory ORDER BY space, message;

-- name: memories_from
SELECT DISTINCT memory FROM source WHERE owner = :owner AND space = :space AND message = :message ORDER BY memory;

-- name: given_add
INSERT INTO given (owner, message, memory) VALUES (:owner, :message, :memory) ON CONFLICT DO NOTHING;

-- name: given_remove
DELETE FROM given WHERE owner = :owner AND message = :message;

-- name: given_all
SELECT message, memory FROM given WHERE owner = :owner;

-- name: given_forget
DELETE FROM given WHERE owner = :owner AND memory = :memory;

-- name: answers_given
SELECT DISTINCT message FROM given WHERE owner = :owner AND memory = :memory ORDER BY message;

-- name: audience_add
INSERT INTO audience (owner, id, readers) VALUES (:owner, :id, :readers) ON CONFLICT DO NOTHING;

-- name: audience_import
INSERT INTO audience (owner, id, readers) VALUES (:owner, :id, :readers);

-- name: audiences
SELECT id, readers FROM audience WHERE owner = :owner ORDER BY id;

-- name: readership_get
SELECT audience FROM readership WHERE owner = :owner AND chat = :chat;

-- name: readerships
SELECT chat, audience FROM readership WHERE owner = :owner ORDER BY chat;

-- name: readership_put
INSERT INTO readership (owner, chat, audience) VALUES (:owner, :chat, :audience)
ON CONFLICT (owner, chat) DO UPDATE SET audience = excluded.audience;

-- name: erase_readerships
DELETE FROM readership WHERE owner = :owner;

-- name: title_get
SELECT text, since FROM title WHERE chat = '' AND thread = '' AND owner = :owner;

-- name: titles
SELECT chat, thread, text, since FROM title WHERE owner = :owner ORDER BY chat, thread;

-- name: title_put
INSERT INTO title (owner, chat, thread, text, since) VALUES (:owner, :chat, :thread, :text, :since)
ON CONFLICT (owner, chat, thread) DO UPDATE SET text = excluded.text, since = excluded.since;

-- name: title_remove
DELETE FROM title WHERE owner = :owner AND chat = :chat AND (thread = :thread OR :thread = '');

-- name: erase_titles
DELETE FROM title WHERE owner = :owner;

-- name: message_readers
UPDATE message {index message_chat} SET audience = :audience
WHERE owner = :owner AND chat = :chat AND audience = :former RETURNING id;

-- name: sources_in_space
SELECT memory, message FROM source WHERE owner = :owner AND space = :space ORDER BY memory;

-- name: memories_of_chat
SELECT id FROM memory WHERE owner = :owner AND space = :space AND chat = :chat ORDER BY id;

-- name: memories_of_kind
SELECT {memory} FROM memory
WHERE {visible} AND kind = :kind
ORDER BY id;

-- name: revision_get
SELECT number FROM revision WHERE owner = :owner AND what = :what;

-- name: vector_progress
SELECT (SELECT count(*) FROM vector WHERE embedder = :embedder),
    (SELECT count(*) FROM memory WHERE archived = 0) + (SELECT count(*) FROM message WHERE withheld = 0);

-- name: embedder_complete
SELECT id FROM embedder WHERE complete <> 0 ORDER BY id DESC LIMIT 1;

-- name: embedder_ensure
INSERT INTO embedder (name, owner, complete) VALUES (:name, 0, 0)
ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id;

-- name: embedder_others
UPDATE embedder SET owner = 0, complete = 0 WHERE name <> :name;

-- name: embedder_next_owners
SELECT o.id FROM owner o, embedder e WHERE e.id = :embedder AND e.complete = 0 AND o.id > e.owner
ORDER BY o.id LIMIT :limit;

-- name: unembedded_memory
INSERT INTO unembedded (owner, what, id)
SELECT m.owner, 'memory', m.id FROM memory m
WHERE m.owner = :owner AND m.archived = 0 AND m.withheld = 0 AND NOT EXISTS (
    SELECT 1 FROM vector v WHERE v.owner = m.owner AND v.what = 'memory' AND v.id = m.id AND v.embedder = :embedder)
ON CONFLICT DO NOTHING;

-- name: unembedded_message
INSERT INTO unembedded (owner, what, id)
SELECT m.owner, 'message', m.id FROM message m
WHERE m.owner = :owner AND m.withheld = 0 AND NOT EXISTS (
    SELECT 1 FROM vector v WHERE v.owner = m.owner AND v.what = 'message' AND v.id = m.id AND v.embedder = :embedder)
ON CONFLICT DO NOTHING;

-- name: unembedded
SELECT owner, what, id FROM unembedded WHERE what = :what ORDER BY id DESC LIMIT :limit;

-- name: unembedded_add
INSERT INTO unembedded (owner, what, id) SELECT :owner, :what, :id WHERE EXISTS (SELECT 1 FROM embedder)
ON CONFLICT DO NOTHING;

-- name: unembedded_remove
DELETE FROM unembedded WHERE owner = :owner AND what = :what AND id = :id;

-- name: vector_put
INSERT INTO vector (owner, what, id, embedder, numbers) VALUES (:owner, :what, :id, :embedder, :numbers)
ON CONFLICT (owner, what, id) DO UPDATE SET embedder = excluded.embedder, numbers = excluded.numbers;

-- name: vector_remove
DELETE FROM vector WHERE owner = :owner AND what = :what AND id = :id;

-- name: vectors_visible
SELECT v.id, v.numbers FROM (SELECT id FROM memory WHERE {visible}) m
JOIN vector v ON v.owner = :owner AND v.what = 'memory' AND v.id = m.id WHERE v.embedder = :embedder;

-- name: erase_vectors
DELETE FROM vector WHERE owner = :owner;

-- name: erase_unembedded
DELETE FROM unembedded WHERE owner = :owner;

-- name: erase_revisions
DELETE FROM revision WHERE owner = :owner;

-- name: privacy_get
SELECT level FROM privacy WHERE owner = :owner;

-- name: privacy_here
-- And whether the space does not know them while somebody raised theirs in a space alone.
SELECT coalesce(max(level), 0),
    coalesce(max(is_member), 0) = 0 AND EXISTS (SELECT 1 FROM wish w WHERE w.digest >= 'here:')
FROM (
    SELECT level, 0 AS is_member FROM privacy WHERE owner = :person
    UNION ALL SELECT level, 1 FROM member WHERE owner = :space AND person = :person
) levels;

-- name: privacy_put
INSERT INTO privacy (owner, level) VALUES (:owner, :level) ON CONFLICT (owner) DO UPDATE SET level = excluded.level;

-- name: wish_get
SELECT digest, mark, level, changed_at, erased_at FROM wish WHERE digest = :digest;

-- name: wish_put
INSERT INTO wish (digest, mark, level, changed_at, erased_at)
VALUES (:digest, :mark, :level, :changed_at, :erased_at)
ON CONFLICT (digest) DO UPDATE SET
    mark = excluded.mark, level = excluded.level, changed_at = excluded.changed_at, erased_at = excluded.erased_at;

-- name: wishes
SELECT digest, mark, level, changed_at, erased_at FROM wish ORDER BY digest;

-- name: wish_any
SELECT 1 FROM wish LIMIT 1;

-- name: wish_marks
SELECT mark, count(*) FROM wish GROUP BY mark;

-- name: memory_past_count
SELECT COUNT(*) FROM memory
WHERE owner = :owner AND lineage = :lineage AND archived = 0 AND kind = 'fact' AND valid_to <= :now;

-- name: tally_get
SELECT live FROM tally WHERE owner = :owner AND lineage = :lineage AND kind = :kind;

-- name: tally_remove
UPDATE tally SET live = live - 1 WHERE owner = :owner AND lineage = :lineage AND kind = :kind;

-- name: event_add
INSERT INTO event (owner, memory, number, at, actor, action, reason, before, change, expires_at)
VALUES (:owner, :memory, :number, :at, :actor, :action, :reason, :before, :change, :expires_at);

-- name: events
SELECT memory, number, at, actor, action, reason, before, change FROM event
WHERE owner = :owner AND memory = :memory ORDER BY number;

-- name: events_read
-- The same, for whoever only wants to know, and may be in another owner's transaction: it keeps nobody from changing them.
SELECT memory, number, at, actor, action, reason, before, change FROM event
WHERE owner = :owner AND memory = :memory ORDER BY number;

-- name: events_states
-- Of each memory that was changed after a moment, what it was until then; nothing where it is newer.
SELECT e.memory, e.before FROM event e
WHERE e.owner = :owner AND e.memory > 0 AND e.at > :at AND NOT EXISTS (
    SELECT 1 FROM event p
    WHERE p.owner = e.owner AND p.memory = e.memory AND p.number = e.number - 1 AND p.at > :at);

-- name: events_pasts
-- Of each memory whose value a change ended after a moment, the past value that it left, and what the memory was until
-- then.
SELECT e.memory, p.memory, e.before FROM event e
JOIN event p ON p.owner = e.owner AND p.change = e.change AND p.action = 'created' AND p.reason = 'ended'
WHERE e.owner = :owner AND e.at > :at AND e.action = 'updated' AND e.change IS NOT NULL
ORDER BY e.memory, e.number;

-- name: event_last_action
SELECT action FROM event WHERE owner = :owner AND memory = :memory ORDER BY number DESC LIMIT 1;

-- name: event_any
SELECT 1 FROM event WHERE owner = :owner AND memory = :memory LIMIT 1;

-- name: events_of_change
SELECT memory, number FROM event WHERE owner = :owner AND change = :change ORDER BY memory;

-- name: events_expire_by
UPDATE event SET expires_at = :latest WHERE expires_at > :latest;

-- name: past_person_add
INSERT INTO past_person (owner, person, memory) VALUES (:owner, :person, :memory) ON CONFLICT DO NOTHING;

-- name: past_people
SELECT memory FROM past_person WHERE owner = :owner AND person = :person;

-- name: past_people_stray
DELETE FROM past_person WHERE owner = :owner AND memory = :memory AND NOT EXISTS (
    SELECT 1 FROM event e WHERE e.owner = :owner AND e.memory = :memory AND e.before IS NOT NULL);

-- name: erase_past
DELETE FROM past_person WHERE owner = :owner AND CAST(:person AS BIGINT) IN (person, 0);

-- name: event_forget_texts
UPDATE event SET before = NULL, expires_at = NULL WHERE owner = :owner AND memory = :memory AND number <= :last;

-- name: event_forget_text
UPDATE event SET before = NULL WHERE owner = :owner AND memory = :memory AND number = :number;

-- name: event_keep_texts
UPDATE event SET expires_at = NULL WHERE owner = :owner AND memory = :memory;

-- name: question_get
SELECT {question} FROM question WHERE owner = :owner AND id = :id;

-- name: questions
SELECT {question} FROM question WHERE owner = :owner ORDER BY asked_at, length(id), id;

-- name: question_of_memory
SELECT {question} FROM question
WHERE owner = :owner AND space = :space AND chat = :chat AND memory = :memory
    AND kind IN ('delete', 'clear', 'erase');

-- name: question_put
INSERT INTO question (owner, {question})
VALUES (:owner, :id, :kind, :space, :chat, :thread, :memory, :mark, :said_in, :said_at, :turn, :asker, :tool, :version,
    :content, :requests, :asked_at, :expires_at, :plain_until, :reminded_at)
ON CONFLICT (owner, id) DO UPDATE SET
    thread = excluded.thread, mark = excluded.mark, said_in = excluded.said_in, tool = excluded.tool,
    content = excluded.content, requests = excluded.requests,
    plain_until = excluded.plain_until, reminded_at = excluded.reminded_at;

-- name: question_remove
DELETE FROM question WHERE owner = :owner AND id = :id;

-- name: question_remove_of_memory
DELETE FROM question
WHERE owner = :owner AND space = :space AND chat = :chat AND memory = :memory AND id <> :but
    AND kind IN ('delete', 'clear', 'erase');

-- name: question_remove_memory
DELETE FROM question WHERE owner = :owner AND memory = :memory AND kind = 'delete';

-- name: question_expired
DELETE FROM question WHERE expires_at <= :before OR (kind <> 'save' AND expires_at <= :now);

-- name: mute_put
INSERT INTO mute (owner, asker) VALUES (:owner, :asker) ON CONFLICT DO NOTHING;

-- name: mute_remove
DELETE FROM mute WHERE owner = :owner AND asker = :asker;

-- name: mutes
SELECT asker FROM mute WHERE owner = :owner ORDER BY asker;

-- name: message_add
INSERT INTO message (owner, id, chat, thread, lineage, role, person, source, text, at, withheld, audience)
VALUES (:owner, :id, :chat, :thread, :lineage, :role, :person, :source, :text, :at, :withheld, :audience)
ON CONFLICT (owner, chat, role, source) WHERE source IS NOT NULL DO UPDATE SET text = excluded.text,
    withheld = CASE WHEN message.withheld = {expired} THEN excluded.withheld ELSE message.withheld END
RETURNING id, thread, lineage, role, person, at, withheld, audience;

-- name: message_again
SELECT id FROM message {index message_at}
WHERE owner = :owner AND at = :at AND chat = :chat AND thread = :thread AND lineage = :lineage AND role = :role
    AND person = :person AND source IS NULL AND text = :text
LIMIT 1;

-- name: message_copy
SELECT id FROM message {index message_at}
WHERE owner = :owner AND at = :at AND chat = :chat AND person = :person AND role = 'user' AND text = :text
    AND source <> :source
LIMIT 1;

-- name: message_named
UPDATE message SET source = :source WHERE owner = :owner AND id = (
    SELECT coalesce(min(CASE WHEN text = :text THEN id END), CASE WHEN count(*) = 1 THEN min(id) END)
    FROM message {index message_at}
    WHERE owner = :owner AND at = :at AND chat = :chat AND person = :person AND role = 'user'
        AND substr(source, 1, length(CAST(:before AS TEXT))) = :before);

-- name: messages_of_person
-- The ids apart, by an index: SQLite would look through all that was said in the space.
SELECT id, role, text, withheld FROM message WHERE owner = :owner AND id IN (
    SELECT m.id FROM message m {index message_writer}
    WHERE m.owner = :owner AND m.person = :person AND m.id < :before AND m.withheld <> {expired}
    ORDER BY m.id DESC LIMIT :limit)
ORDER BY id DESC;

-- name: answers_to_others
SELECT id, role, text, withheld FROM message WHERE owner = :owner AND role = 'assistant' AND person <> :person
    AND id < :before
ORDER BY id DESC LIMIT :limit;

-- name: messages_of_others
SELECT id, role, person, text, withheld FROM message
WHERE owner = :owner AND (person <> :person OR role = 'assistant') AND id < :before AND withheld <> {expired}
ORDER BY id DESC LIMIT :limit;

-- name: messages_quoting
SELECT id, role, person, text, withheld FROM message
WHERE owner = :owner AND role = 'user' AND person <> :person AND id IN (
    SELECT s.id FROM subject s WHERE s.owner = :owner AND s.person = :person AND s.kind = 'message')
ORDER BY id DESC LIMIT :limit;

-- name: message_rewrite
UPDATE message SET text = :text WHERE owner = :owner AND id = :id
RETURNING chat, thread, lineage, role, person, at, withheld;

-- name: subjects_copy
INSERT INTO subject (owner, person, kind, id, role, level)
SELECT s.owner, s.person, s.kind, :id, s.role, s.level FROM subject s
WHERE s.owner = :owner AND s.kind = 'message' AND s.id = :former ON CONFLICT DO NOTHING;

-- name: message_withhold
UPDATE message SET withheld = :change WHERE owner = :owner AND id = :id AND withheld = 0
RETURNING id, chat, thread, lineage;

-- name: message_withholding
SELECT withheld FROM message WHERE owner = :owner AND id = :id AND withheld NOT IN (0, {expired});

-- name: message_lift
-- By now it may be gone, edited, or withheld by another change.
UPDATE message SET withheld = :other WHERE owner = :owner AND id = :id AND withheld = :change
RETURNING chat, thread, lineage, role, person, at, text;

-- name: messages_withheld
SELECT id, role, person, text FROM message {index message_withheld}
WHERE owner = :owner AND withheld = :change AND withheld <> 0 ORDER BY id;

-- name: has_forgotten
-- Apart from the next, whose parts take SQLite four times as long to begin. With `> 0`, by the index of such events.
SELECT 1 FROM event e
WHERE e.owner = :owner AND e.action IN ('deleted', 'cleared', 'forgotten') AND e.change > 0 AND e.before IS NOT NULL
LIMIT 1;

-- name: forgotten_ways
SELECT 'turn' AS way FROM rate WHERE owner = :owner AND span = :span
UNION ALL SELECT 'digest' AS way FROM (SELECT f.owner FROM forgotten f WHERE f.owner = :owner LIMIT 1) digests
UNION ALL SELECT 'text' AS way FROM (
    SELECT e.owner FROM event e
    WHERE e.owner = :owner AND e.action IN ('deleted', 'cleared', 'forgotten') AND e.change > 0 AND e.before IS NOT NULL
    LIMIT 1) texts;

-- name: events_of_forgetting
-- What was forgotten and is not live, for as long as the texts are there; and whether something was taken back since.
SELECT e.memory, e.actor, e.change, e.at, e.action, e.reason, e.before, e.number, CASE WHEN EXISTS (
    SELECT 1 FROM event u WHERE u.owner = :owner AND u.memory = e.memory AND u.number > e.number
        AND u.action IN ('undone', 'revived')) THEN 1 ELSE 0 END
FROM event e
WHERE e.owner = :owner AND e.action IN ('deleted', 'cleared', 'forgotten') AND e.change IS NOT NULL AND e.before IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM memory k WHERE k.owner = e.owner AND k.id = e.memory AND k.archived = 0)
ORDER BY e.change;

-- name: events_of_forgetting_one
SELECT e.at, e.action, e.reason, e.before, e.number, CASE WHEN EXISTS (
    SELECT 1 FROM event u WHERE u.owner = :owner AND u.memory = e.memory AND u.number > e.number
        AND u.action IN ('undone', 'revived')) THEN 1 ELSE 0 END
FROM event e
WHERE e.owner = :owner AND e.memory = :memory AND e.number <= :last
    AND e.action IN ('deleted', 'cleared', 'forgotten') AND e.change IS NOT NULL AND e.before IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM memory k WHERE k.owner = e.owner AND k.id = e.memory AND k.archived = 0);

-- name: forgotten_put
INSERT INTO forgotten (owner, digest, at) VALUES (:owner, :digest, :at)
ON CONFLICT (owner, digest) DO UPDATE SET at = excluded.at WHERE excluded.at > forgotten.at;

-- name: forgotten_any
SELECT 1 FROM forgotten WHERE owner = :owner LIMIT 1;

-- name: forgotten_get
SELECT at FROM forgotten WHERE owner = :owner AND digest = :digest;

-- name: forgotten_of_owner
SELECT digest, at FROM forgotten WHERE owner = :owner;

-- name: erase_forgotten
DELETE FROM forgotten WHERE owner = :owner;

-- name: unquoted_add
INSERT INTO unquoted (owner, id) VALUES (:owner, :id) ON CONFLICT DO NOTHING;

-- name: unquoted_remove
DELETE FROM unquoted WHERE owner = :owner AND id = :id;

-- name: unquoted_add_of
INSERT INTO unquoted (owner, id) SELECT m.owner, m.id FROM message m {index message_person}
WHERE m.owner = :owner AND m.person = :person AND m.role = 'user' ON CONFLICT DO NOTHING;

-- name: unquoted
SELECT id FROM unquoted WHERE owner = :owner AND id BETWEEN :first AND :last;

-- name: messages_of_chat
SELECT id, CASE WHEN role = 'user' THEN person ELSE 0 END, at, text FROM message m {index message_chat}
WHERE owner = :owner AND chat = :chat AND thread = :thread AND lineage = :lineage AND id > :after AND id < :before
    AND {told}
ORDER BY id DESC LIMIT :limit;

-- name: messages_with_vectors
SELECT m.id, v.numbers FROM (
    SELECT id FROM message {index message_chat}
    WHERE owner = :owner AND chat = :chat AND thread = :thread AND lineage = :lineage
    ORDER BY id DESC LIMIT :limit) m
LEFT JOIN vector v ON v.owner = :owner AND v.what = 'message' AND v.id = m.id AND v.embedder = :embedder;

-- name: messages_for_block
-- Also those that tell of somebody who does not want it: whether they still do is asked when one is found.
SELECT id, CASE WHEN role = 'user' THEN person ELSE 0 END, at, text, withheld FROM message {index message_chat}
WHERE owner = :owner AND chat = :chat AND thread = :thread AND lineage = :lineage AND id > :after
ORDER BY id LIMIT :limit;

-- name: messages_in_no_block
SELECT count(*), min(id) FROM (
    SELECT id FROM message {index message_chat}
    WHERE owner = :owner AND chat = :chat AND thread = :thread AND lineage = :lineage AND id > :after
    ORDER BY id LIMIT :limit) newer;

-- name: conversation_get
SELECT owner, id, chat, thread, lineage, last, messages, words, segments, due, form FROM conversation
WHERE owner = :owner AND chat = :chat AND thread = :thread AND lineage = :lineage;

-- name: conversation_next
SELECT owner, id, chat, thread, lineage, last, messages, words, segments, due, form FROM conversation
WHERE due = 1 AND form IN (0, :form) OR form <> :form AND :but NOT LIKE '% ' || id || ' %' ORDER BY owner, id LIMIT 1;

-- name: conversation_due
INSERT INTO conversation (owner, id, chat, thread, lineage, last, messages, words, segments, due, form)
VALUES (:owner, :id, :chat, :thread, :lineage, 0, 0, 0, 0, 1, 0)
ON CONFLICT (owner, chat, thread, lineage) DO UPDATE SET due = 1;

-- name: conversations_find
INSERT INTO conversation (owner, id, chat, thread, lineage, last, messages, words, segments, due, form)
SELECT owner, min(id), chat, thread, lineage, 0, 0, 0, 0, 1, 0 FROM message
WHERE owner = :owner
GROUP BY owner, chat, thread, lineage HAVING count(*) >= :least
ON CONFLICT (owner, chat, thread, lineage) DO UPDATE SET due = 1;

-- name: conversation_done
UPDATE conversation SET due = 0 WHERE owner = :owner AND id = :id;

-- name: conversation_form
UPDATE conversation SET form = :form, due = 1 WHERE owner = :owner AND id = :id;

-- name: conversation_last
UPDATE conversation SET last = :last WHERE owner = :owner AND id = :id;

-- name: conversation_remove_empty
DELETE FROM conversation WHERE owner = :owner AND id = :id AND messages = 0 AND due = 0;

-- name: conversation_count
UPDATE conversation SET messages = messages + :messages, words = words + :words, segments = segments + :segments
WHERE owner = :owner AND id = :id;

-- name: block_put
INSERT INTO block (owner, conversation, id, last, began, ended, data)
VALUES (:owner, :conversation, :id, :last, :began, :ended, :data)
ON CONFLICT (owner, conversation, id) DO UPDATE SET
    last = excluded.last, began = excluded.began, ended = excluded.ended, data = excluded.data;

-- name: block_remove
DELETE FROM block WHERE owner = :owner AND conversation = :conversation AND id = :id;

-- name: blocks_count
SELECT count(*), min(id) FROM block WHERE owner = :owner AND conversation = :conversation;

-- name: blocks_newest
SELECT id FROM block WHERE owner = :owner AND conversation = :conversation ORDER BY id DESC LIMIT :limit;

-- name: blocks_last
SELECT last FROM block WHERE owner = :owner AND conversation = :conversation ORDER BY id DESC LIMIT 1;

-- name: block_after
SELECT min(id) FROM block WHERE owner = :owner AND conversation = :conversation AND id > :id;

-- name: blocks_between
SELECT id FROM block
WHERE owner = :owner AND conversation = :conversation AND ended >= :since AND began < :until
ORDER BY ended DESC LIMIT :limit;

-- name: block_words_starting
-- From one word to the next: each is there once for every block that holds it.
WITH RECURSIVE found (word) AS (
    SELECT min(w.word) FROM block_word w
    WHERE w.owner = :owner AND w.conversation = :conversation AND w.word >= :first AND w.word < :last
    UNION ALL
    SELECT (SELECT min(w.word) FROM block_word w
        WHERE w.owner = :owner AND w.conversation = :conversation AND w.word > found.word AND w.word < :last)
    FROM found WHERE found.word IS NOT NULL)
SELECT word FROM found WHERE word IS NOT NULL LIMIT :limit;

-- name: erase_block_words
DELETE FROM block_word WHERE owner = :owner;

-- name: erase_blocks
DELETE FROM block WHERE owner = :owner;

-- name: erase_conversations
DELETE FROM conversation WHERE owner = :owner;

-- name: message_text
SELECT text FROM message m WHERE owner = :owner AND id = :id AND {told};

-- name: messages_recent
SELECT m.id, m.role, m.person, m.text, m.at FROM message m {index message_chat}
WHERE m.owner = :owner AND m.chat = :chat AND m.thread = :thread AND m.lineage = :lineage AND m.id < :before
    AND {told} AND {read_here} AND {heard}
ORDER BY m.id DESC LIMIT :limit;

-- name: events_remove
DELETE FROM event WHERE owner = :owner AND memory = :memory;

-- name: spaces_with_stretches
SELECT DISTINCT s.owner FROM stretch s
JOIN message m ON m.owner = s.owner AND m.chat = s.chat AND m.thread = s.thread AND m.id > s.after
WHERE m.person = :person ORDER BY s.owner;

-- name: erase_unquoted
DELETE FROM unquoted WHERE owner = :owner;

-- name: spaces_with_observations
SELECT DISTINCT o.owner FROM observation o JOIN message m ON m.owner = o.owner AND m.id = o.id
WHERE m.person = :person ORDER BY o.owner;

-- name: observations_stray
DELETE FROM observation
WHERE NOT EXISTS (SELECT 1 FROM message m WHERE m.owner = observation.owner AND m.id = observation.id);

-- name: erase_space_observations
DELETE FROM observation WHERE owner = :owner;

-- name: erase_observations
DELETE FROM observation WHERE owner = :owner AND noted_at <= :until
    AND id IN (SELECT m.id FROM message m WHERE m.owner = :owner AND m.person = :person);

-- name: erase_messages
DELETE FROM message WHERE owner = :owner AND id IN (
    SELECT m.id FROM message m {index message_person} WHERE m.owner = :owner AND m.person = :person
    ORDER BY m.id LIMIT :limit)
RETURNING id, chat, thread, lineage;

-- name: message_count_of
SELECT count(*) FROM message m {index message_person} WHERE m.owner = :owner AND m.person = :person;

-- name: message_count
SELECT count(*) FROM message WHERE owner = :owner;

-- name: erase_asked
DELETE FROM question WHERE owner = :owner AND asker = :name RETURNING id;

-- name: erase_mutes
DELETE FROM mute WHERE owner = :owner AND :person IN (owner, asker);

-- name: erase_outcomes
-- Also of tasks that are gone, as those are that named the person.
DELETE FROM outcome WHERE owner = :owner AND (person = :person
    OR (space = :owner AND task NOT IN (SELECT t.id FROM task t WHERE t.owner = :owner)));

-- name: erase_own_outcomes
DELETE FROM outcome WHERE owner = :owner;

-- name: erase_events
DELETE FROM event WHERE owner = :owner RETURNING memory;

-- name: erase_members
DELETE FROM member WHERE owner = :owner AND person = :person RETURNING person;

-- name: erase_questions
DELETE FROM question WHERE owner = :owner RETURNING id;

-- name: erase_rates
DELETE FROM rate WHERE owner = :owner;

-- name: erase_tallies
DELETE FROM tally WHERE owner = :owner;

-- name: erase_privacy
DELETE FROM privacy WHERE owner = :owner;

-- name: erase_excerpts
UPDATE memory SET excerpt = NULL
WHERE owner = :owner AND excerpt IS NOT NULL
    AND id IN (SELECT e.memory FROM event e WHERE e.owner = :owner AND e.actor = :name
        UNION SELECT past.memory FROM event e  -- what such a memory left as past
        JOIN event ended ON ended.owner = e.owner AND ended.memory = e.memory
        JOIN event past ON past.owner = e.owner AND past.change = ended.change AND past.reason IN ('ended', 'own word')
        WHERE e.owner = :owner AND e.actor = :name);

-- name: erase_actor
UPDATE event SET actor = 'erased', reason = NULL WHERE owner = :owner AND actor = :name;

-- name: erase_said_by
UPDATE memory SET said_by = 'erased' WHERE owner = :owner AND said_by = :name;

-- name: erase_space_messages
DELETE FROM message WHERE owner = :owner AND id IN (
    SELECT m.id FROM message m WHERE m.owner = :owner ORDER BY m.id LIMIT :limit)
RETURNING id, chat, thread, lineage;

-- name: erase_space_members
DELETE FROM member WHERE owner = :owner;

-- name: erase_subjects
DELETE FROM subject WHERE owner = :owner AND CAST(:person AS BIGINT) IN (person, 0);

-- name: erase_sources
DELETE FROM source WHERE owner = :owner;

-- name: erase_given
DELETE FROM given WHERE owner = :owner;

-- name: erase_audiences
DELETE FROM audience WHERE owner = :owner;

-- name: erase_owner
DELETE FROM owner WHERE id = :owner;

-- name: messages_last
SELECT m.id, m.person, m.role FROM message m {index message_chat}
WHERE m.owner = :owner AND m.chat = :chat AND m.thread = :thread AND m.lineage = :lineage
    AND {told} AND {read_here} AND {heard}
ORDER BY m.id DESC LIMIT :limit;

-- name: message_remove
DELETE FROM message WHERE owner = :owner AND id = :id RETURNING id, chat, thread, lineage;

-- name: messages_past
SELECT m.id, m.chat, m.thread, m.lineage, CASE WHEN m.withheld = {expired} THEN 1 ELSE 0 END,
    CASE WHEN m.role = 'user' AND m.source IS NOT NULL THEN 1 ELSE 0 END
FROM message m
WHERE m.owner = :owner AND m.at < :before AND {unkept}
ORDER BY m.at LIMIT :limit;

-- name: message_expire
UPDATE message SET text = '', withheld = {expired}, keep_until = :keep_until WHERE owner = :owner AND id = :id;

-- name: message_by_source
SELECT id, CASE WHEN withheld <> {expired} THEN text END, source FROM message
WHERE owner = :owner AND chat = :chat AND role = 'user' AND source IN (:source, :former)
    AND (source = :source OR (lineage = :lineage AND at BETWEEN :since AND :until))
ORDER BY CASE WHEN source = :source THEN 0 ELSE 1 END LIMIT 1;

-- name: message_name
SELECT chat, source FROM message WHERE owner = :owner AND id = :id AND source IS NOT NULL;

-- name: observation_put
INSERT INTO observation (owner, id, turn, text, noted_at) VALUES (:owner, :id, :turn, :text, :noted_at)
ON CONFLICT (owner, id) DO UPDATE SET turn = excluded.turn, text = excluded.text, noted_at = excluded.noted_at;

-- name: observation_get
SELECT 1 FROM observation WHERE owner = :owner AND id = :id AND text = :text;

-- name: observation_remove
DELETE FROM observation WHERE owner = :owner AND id = :id AND :text IN ('', text) RETURNING id;

-- name: rate_once
INSERT INTO rate (owner, span, calls, ends_at) VALUES (:owner, :span, 1, :ends_at) ON CONFLICT DO NOTHING RETURNING 1;

-- name: rate_mark
INSERT INTO rate (owner, span, calls, ends_at) VALUES (:owner, :span, :mark, :ends_at)
ON CONFLICT (owner, span) DO UPDATE SET calls = excluded.calls, ends_at = excluded.ends_at
    WHERE rate.calls <> excluded.calls
RETURNING 1;

-- name: rate_expired
DELETE FROM rate WHERE ends_at <= :now OR (ends_at > :farthest AND span NOT LIKE 'rest:%');

-- name: rest_put
INSERT INTO rate (owner, span, calls, ends_at) VALUES (:owner, :span, 1, :ends_at)
ON CONFLICT (owner, span) DO UPDATE SET ends_at = excluded.ends_at;

-- name: rests_end
DELETE FROM rate WHERE owner = :owner AND span LIKE 'rest:%';

-- name: rests
SELECT span FROM rate WHERE owner = :owner AND span LIKE 'rest:%' AND ends_at > :now;

-- name: task_add
INSERT INTO task (owner, id, kind, priority, state, payload, chat, thread, lineage, person, attempts, run_at,
    leased_until, worker, created_at)
VALUES (:owner, :id, :kind, :priority, 'waiting', :payload, :chat, :thread, :lineage, :person, 0, :run_at, 0, '', :now);

-- name: tasks_waiting
SELECT count(*), min(run_at) FROM task WHERE state = 'waiting';

-- name: tasks_due
SELECT owner, count(*) FROM (
    SELECT owner, priority, run_at, id FROM task
    WHERE state = 'waiting' AND (run_at <= :now OR run_at > :far) AND (leased_until <= :now OR leased_until > :far)
        AND (:kinds = '' OR :kinds LIKE '% ' || kind || ' %')
    ORDER BY priority, run_at, id LIMIT :limit) due
GROUP BY owner ORDER BY min(priority), min(run_at), min(id);

-- name: tasks_claim
UPDATE task SET worker = :worker, leased_until = :until, attempts = attempts + 1
WHERE owner = :owner AND id IN (
    SELECT id FROM task
    WHERE owner = :owner AND state = 'waiting' AND (run_at <= :now OR run_at > :far)
        AND (leased_until <= :now OR leased_until > :far) AND (:kinds = '' OR :kinds LIKE '% ' || kind || ' %')
    ORDER BY priority, run_at, id LIMIT :limit)
RETURNING owner, id, kind, priority, state, payload, attempts, run_at, created_at, error, result;

-- name: tasks_renew
UPDATE task SET leased_until = :until WHERE owner = :owner AND state = 'waiting' AND worker = :worker;

-- name: task_wait
UPDATE task SET run_at = :until WHERE owner = :owner AND id = :id AND state = 'waiting';

-- name: tasks_of_owner
SELECT owner, id, kind, priority, state, payload, attempts, run_at, created_at, error, result FROM task
WHERE owner = :owner AND kind = :kind ORDER BY id;

-- name: task_lease
SELECT person FROM task WHERE owner = :owner AND id = :id AND state = 'waiting' AND worker = :worker;

-- name: task_end
DELETE FROM task WHERE owner = :owner AND id = :id RETURNING id;

-- name: hold
-- Whoever writes on a server keeps the owner of what it asks about.
SELECT 1 FROM owner WHERE id = :owner;

-- name: tasks_under_way
SELECT 1 FROM task WHERE owner = :owner AND state = 'waiting' AND kind IN ({sagas}) LIMIT 1;

-- name: sagas
SELECT owner, id, kind, priority, state, payload, attempts, run_at, created_at, error, result FROM task
WHERE state <> 'done' AND kind <> 'call' AND kind IN ({sagas}) ORDER BY id;

-- name: task_remove
DELETE FROM task WHERE owner = :owner AND id = :id AND state = 'waiting' AND worker = :worker RETURNING id;

-- name: task_finish
UPDATE task SET state = 'done', result = :result, error = NULL, finished_at = :now
WHERE owner = :owner AND id = :id AND state = 'waiting' AND worker = :worker RETURNING id;

-- name: task_undone
SELECT 1 FROM task WHERE owner = :owner AND id = :id AND state <> 'done';

-- name: outcome_add
INSERT INTO outcome (owner, task, space, person, result) VALUES (:owner, :task, :space, :person, :result)
ON CONFLICT DO NOTHING RETURNING task;

-- name: outcome_find
SELECT owner, result FROM outcome WHERE task = :task;

-- name: outcome_remove
DELETE FROM outcome WHERE owner = :owner AND task = :task;

-- name: outcomes
SELECT owner, task, space FROM outcome ORDER BY owner, task;

-- name: tasks_take
DELETE FROM task {index task_done}
WHERE owner = :owner AND person = :person AND chat = :chat AND thread = :thread AND lineage = :lineage AND state = 'done'
RETURNING owner, id, kind, priority, state, payload, attempts, run_at, created_at, error, result;

-- name: tasks_finished
SELECT 1 FROM task {index task_done}
WHERE owner = :owner AND person = :person AND chat = :chat AND thread = :thread AND lineage = :lineage AND state = 'done'
UNION ALL SELECT 1 FROM task {index task_failed}
WHERE owner = :owner AND person = :person AND chat = :chat AND thread = :thread AND lineage = :lineage
    AND state = 'failed'
LIMIT 1;

-- name: tasks_all
SELECT owner, id, kind, priority, state, payload, attempts, run_at, created_at, error, result FROM task ORDER BY id LIMIT :limit;

-- name: task_drop
DELETE FROM task WHERE id = :id AND NOT (state = 'waiting' AND leased_until > :now)
    AND (kind NOT IN ({sagas})
        OR state = 'done')
RETURNING id;

-- name: tasks_expired
-- What was begun in other owners' rows stays until it is ended.
DELETE FROM task WHERE (state <> 'waiting' AND state = 'done' AND finished_at <= :done)
    OR (state <> 'waiting' AND state = 'failed' AND finished_at <= :failed AND kind NOT IN ({sagas}));

-- name: tasks_tell_failed
UPDATE task {index task_failed} SET person = 0
WHERE owner = :owner AND person = :person AND chat = :chat AND thread = :thread AND lineage = :lineage
    AND state = 'failed'
RETURNING owner, id, kind, priority, state, payload, attempts, run_at, created_at, error, result;

-- name: erase_space_tasks
DELETE FROM task WHERE owner = :owner;

-- name: counts
SELECT (SELECT count(*) FROM owner WHERE kind = 'person'),
    (SELECT count(*) FROM owner WHERE kind = 'space' AND platform <> 'zgadka'),   -- where operators' acts are noted
    (SELECT count(*) FROM memory WHERE archived = 0 AND kind = 'fact'),
    (SELECT count(*) FROM memory WHERE archived = 0 AND kind = 'note'),
    (SELECT count(*) FROM memory WHERE archived = 0 AND kind = 'episode'),
    (SELECT count(*) FROM memory WHERE archived = 0 AND kind = 'relation'),
    (SELECT count(*) FROM memory WHERE archived <> 0), (SELECT count(*) FROM event),
    (SELECT count(*) FROM question),
    (SELECT count(*) FROM message) - (
        SELECT count(*) FROM message {index message_withheld} WHERE withheld <> 0 AND withheld = {expired}),
    (SELECT count(*) FROM vector), (SELECT count(*) FROM unembedded),
    (SELECT count(*) FROM task);

-- name: export_owner
SELECT id, kind, platform, name FROM owner WHERE id > :id ORDER BY id LIMIT :limit;

-- name: export_privacy
SELECT owner, level FROM privacy WHERE owner > :owner ORDER BY owner LIMIT :limit;

-- name: export_audience
SELECT owner, id, readers FROM audience WHERE (owner, id) > (:owner, :id) ORDER BY owner, id LIMIT :limit;

-- name: export_source
SELECT owner, memory, space, message FROM source
WHERE (owner, memory, space, message) > (:owner, :memory, :space, :message)
ORDER BY owner, memory, space, message LIMIT :limit;

-- name: export_given
SELECT owner, message, memory FROM given
WHERE (owner, message, memory) > (:owner, :message, :memory) ORDER BY owner, message, memory LIMIT :limit;

-- name: export_subject
SELECT owner, person, id, role FROM subject
WHERE kind = 'message' AND (owner, person, id) > (:owner, :person, :id) ORDER BY owner, person, id LIMIT :limit;

-- name: export_message
SELECT owner, id, chat, thread, lineage, role, person, source, text, at, keep_until, withheld, audience FROM message
WHERE (owner, id) > (:owner, :id)
ORDER BY owner, id LIMIT :limit;

-- name: spaces_with_messages_of
SELECT DISTINCT owner FROM message WHERE person = :person ORDER BY owner;

-- name: export_messages_of
-- Of what they were answered, nothing that nobody is told for somebody else's sake.
SELECT owner, id, chat, thread, lineage, role, person, source, text, at, keep_until, withheld, audience
FROM message m {index message_person}
WHERE m.owner = :owner AND m.person = :person AND m.withheld <> {expired} AND (
    m.role = 'user' OR (m.withheld = 0 AND NOT EXISTS (
    SELECT 1 FROM subject s
    WHERE s.owner = :owner AND s.kind = 'message' AND s.id = m.id AND s.person <> :person AND {unwilling})))
ORDER BY m.id;

-- name: export_member_of
SELECT owner, person, name, nickname, kind, role, left_at, level FROM member WHERE owner = :owner AND person = :person;

-- name: export_memory
SELECT {memory} FROM memory WHERE (owner, id) > (:owner, :id) ORDER BY owner, id LIMIT :limit;

-- name: export_event
SELECT owner, memory, number, at, actor, action, reason, before, change, expires_at FROM event
WHERE (owner, memory, number) > (:owner, :memory, :number) ORDER BY owner, memory, number LIMIT :limit;

-- name: export_deletion
SELECT owner, space, chat, memory, mark, said_in, said_at, requests, expires_at FROM question
WHERE kind IN ('delete', 'clear', 'erase')
    AND (owner, space, chat, memory) > (:owner, :space, :chat, :memory)
ORDER BY owner, space, chat, memory LIMIT :limit;

-- name: deletion_import
INSERT INTO question (owner, id, kind, space, chat, memory, mark, said_in, said_at, requests, asked_at, expires_at)
VALUES (:owner, 'import:' || CAST(:space AS BIGINT) || ':' || CAST(:memory AS BIGINT) || ':' || :chat,
    CASE WHEN CAST(:memory AS BIGINT) = 0 THEN 'clear' ELSE 'delete' END, :space, :chat, :memory,
    :content_hash, :turn, :said_at, :requests, coalesce(CAST(:said_at AS BIGINT), CAST(:expires_at AS BIGINT)), :expires_at)
ON CONFLICT DO NOTHING;

-- name: export_consent
SELECT owner, CASE WHEN kind = 'consent' THEN CAST(id AS BIGINT) END, asker, space, tool, version, content, turn, asked_at,
    expires_at
FROM question
WHERE kind = 'consent' AND (owner, CASE WHEN kind = 'consent' THEN CAST(id AS BIGINT) END) > (:owner, :id)
ORDER BY 1, 2 LIMIT :limit;

-- name: consent_import
INSERT INTO question (owner, id, kind, asker, space, tool, version, content, turn, asked_at, expires_at)
VALUES (:owner, CAST(:id AS TEXT), 'consent', :asker, :space, :tool, :version, :arguments, :turn, :asked_at,
    :expires_at);

-- name: export_saving
SELECT owner, id, turn, content, asked_at, expires_at, reminded_at FROM question
WHERE kind = 'save' AND (owner, id) > (:owner, :id) ORDER BY owner, id LIMIT :limit;

-- name: saving_import
INSERT INTO question (owner, id, kind, turn, content, asked_at, expires_at, reminded_at)
VALUES (:owner, :id, 'save', :turn, :items, :asked_at, :expires_at, :reminded_at) ON CONFLICT DO NOTHING;

-- name: export_observation
SELECT owner, id, turn, text, noted_at FROM observation
WHERE (owner, id) > (:owner, :id) ORDER BY owner, id LIMIT :limit;

-- name: sequence_get
SELECT value FROM sequence WHERE name = :name;

-- name: message_import
INSERT INTO message (owner, id, chat, thread, lineage, role, person, source, text, at, keep_until, withheld, audience)
VALUES (:owner, :id, :chat, :thread, :lineage, :role, :person, :source, :text, :at, :keep_until, :withheld, :audience);

-- name: message_with_source
SELECT id FROM message WHERE owner = :owner AND chat = :chat AND role = :role AND source = :source;

-- name: messages_alike
SELECT id FROM message {index message_at}
WHERE owner = :owner AND at = :at AND chat = :chat AND thread = :thread AND lineage = :lineage AND role = :role
    AND person = :person AND text = :text AND source IS NULL
ORDER BY id;

-- name: event_last
SELECT coalesce(max(number), 0) FROM event WHERE owner = :owner AND memory = :memory;

-- What is made from the rows, compared with them. `posting` and `posting_word` are the full-text index as tables.

-- name: memory_all_words
SELECT id, words FROM memory WHERE owner = :owner;

-- name: tallies
SELECT lineage, kind, live FROM tally WHERE owner = :owner;

-- name: tally_put
INSERT INTO tally (owner, lineage, kind, live) VALUES (:owner, :lineage, :kind, :live)
ON CONFLICT (owner, lineage, kind) DO UPDATE SET live = excluded.live;

-- name: subjects_about
SELECT person, id FROM subject WHERE owner = :owner AND kind = 'memory' AND role = 'about';

-- name: episode_sources
SELECT s.message, s.memory FROM source s JOIN memory m ON m.owner = s.owner AND m.id = s.memory
WHERE s.owner = :owner AND s.space = :owner AND m.kind = 'episode';

-- name: vectors_stray
SELECT what, id FROM vector v WHERE owner = :owner
    AND NOT EXISTS (SELECT 1 FROM memory m WHERE v.what = 'memory' AND m.owner = :owner AND m.id = v.id AND m.archived = 0)
    AND NOT EXISTS (SELECT 1 FROM message m WHERE v.what = 'message' AND m.owner = :owner AND m.id = v.id);

-- name: unembedded_stray
SELECT what, id FROM unembedded u WHERE owner = :owner
    AND NOT EXISTS (SELECT 1 FROM memory m WHERE u.what = 'memory' AND m.owner = :owner AND m.id = u.id AND m.archived = 0)
    AND NOT EXISTS (SELECT 1 FROM message m WHERE u.what = 'message' AND m.owner = :owner AND m.id = u.id);

-- name: vectors_missing
SELECT 'memory', m.id FROM memory m WHERE m.owner = :owner AND m.archived = 0 AND EXISTS (SELECT 1 FROM embedder)
    AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.owner = :owner AND v.what = 'memory' AND v.id = m.id)
    AND NOT EXISTS (SELECT 1 FROM unembedded u WHERE u.owner = :owner AND u.what = 'memory' AND u.id = m.id)
UNION ALL
SELECT 'message', m.id FROM message m WHERE m.owner = :owner AND m.withheld = 0 AND EXISTS (SELECT 1 FROM embedder)
    AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.owner = :owner AND v.what = 'message' AND v.id = m.id)
    AND NOT EXISTS (SELECT 1 FROM unembedded u WHERE u.owner = :owner AND u.what = 'message' AND u.id = m.id);

-- name: token_add
INSERT INTO token (id, digest, role, label, scope, created_at, expires_at)
VALUES (:id, :digest, :role, :label, :scope, :created_at, :expires_at);

-- name: token_get
SELECT id, digest, role, label, scope, created_at, expires_at FROM token WHERE id = :id;

-- name: tokens
SELECT id, digest, role, label, scope, created_at, expires_at FROM token ORDER BY id;

-- name: tokens_expired
-- Of links and sessions, which nobody lists; a token's end is worth knowing.
DELETE FROM token WHERE expires_at <= :now AND role = 'person' AND label IN ('link', 'session');

-- name: token_drop
DELETE FROM token WHERE id = :id RETURNING id;

-- name: answer_claim
INSERT INTO answer (token, key, request, expires_at) VALUES (:token, :key, :request, :expires_at)
ON CONFLICT (token, key) DO UPDATE SET
    request = excluded.request, status = NULL, body = NULL, expires_at = excluded.expires_at
WHERE answer.expires_at <= :now
RETURNING token;

-- name: answer_get
SELECT request, status, body FROM answer WHERE token = :token AND key = :key;

-- name: answer_hold
UPDATE answer SET expires_at = :expires_at
WHERE token = :token AND key = :key AND status IS NULL AND expires_at = :held
RETURNING token;

-- name: answer_keep
UPDATE answer SET status = :status, body = :body, expires_at = :expires_at
WHERE token = :token AND key = :key AND status IS NULL AND expires_at = :held
RETURNING token;

-- name: answer_release
DELETE FROM answer WHERE token = :token AND key = :key AND status IS NULL AND expires_at = :held;

-- name: answers_drop
DELETE FROM answer WHERE token = :token;

-- name: answers_expired
DELETE FROM answer WHERE expires_at <= :now OR expires_at > :farthest;

-- name: erase_answers
UPDATE answer SET body = NULL WHERE body IS NOT NULL;

-- name: secret_add
INSERT INTO secret (name, value) VALUES (:name, :value) ON CONFLICT DO NOTHING;

-- name: secret_get
SELECT value FROM secret WHERE name = :name;

-- name: secret_delete
DELETE FROM secret WHERE name = :name;

-- name: activity_add
INSERT INTO activity (at, what, name, outcome, bound, number, total)
VALUES (:at, :what, :name, :outcome, :bound, :number, :total)
ON CONFLICT (at, what, name, outcome, bound) DO UPDATE SET
    number = activity.number + excluded.number, total = activity.total + excluded.total;

-- name: activity
SELECT at, what, name, outcome, bound, number, total FROM activity WHERE at >= :since ORDER BY at;

-- name: activity_oldest
SELECT min(at) FROM activity WHERE at % :span <> 0;

-- name: activity_drop_fine
DELETE FROM activity WHERE at < :before AND at % :span <> 0 RETURNING at;

-- name: activity_drop
DELETE FROM activity WHERE at < :before RETURNING at;

-- name: people_known
-- Bots are none.
SELECT o.id, o.platform, o.name, o.number FROM owner o
WHERE o.kind = 'person' AND o.id > :after AND o.id NOT IN (SELECT m.person FROM member m WHERE m.kind = 'bot')
ORDER BY o.id LIMIT :limit;

-- name: events_known
-- What happened, everywhere, the newest first.
SELECT owner, memory, number, at, actor, action, reason, change FROM event
WHERE at >= :since AND (:actor = '' OR actor = :actor) AND (:action = '' OR action = :action)
    AND ((:acts = 0 AND memory > 0 AND action <> 'confirmed' AND coalesce(reason, '') <> 'ended')
        OR (:acts <> 0 AND memory = 0))
    AND at <= :before
    AND (at < :before OR memory < :memory OR (memory = :memory AND number < :number))
ORDER BY at DESC, memory DESC, number DESC LIMIT :limit;

-- name: chore_get
SELECT next_at FROM chore WHERE name = :name;

-- name: chores_get
SELECT name, next_at FROM chore;

-- name: chore_begin
INSERT INTO chore (name, next_at) VALUES (:name, :next) ON CONFLICT (name) DO NOTHING;

-- name: chore_go_on
UPDATE chore SET next_at = :next WHERE name = :name AND next_at = :previous RETURNING name;

-- name: space_counts
-- How much is seen in each space.
SELECT space, count(*) FROM memory WHERE archived = 0 AND withheld = 0 GROUP BY space;

-- name: member_counts
SELECT owner, count(*) FROM member WHERE kind = 'person' AND left_at IS NULL GROUP BY owner;

-- name: memories_grown
-- How many live memories of each kind are of each step of time.
SELECT kind, created_at / :step, count(*) FROM memory WHERE archived = 0 AND withheld = 0 GROUP BY kind, created_at / :step;

-- name: kind_counts
SELECT kind, CAST(sum(live) AS BIGINT) FROM tally GROUP BY kind;

-- name: owner_counts
SELECT o.kind, count(*) FROM owner o
WHERE o.platform <> 'zgadka' AND o.id NOT IN (SELECT m.person FROM member m WHERE m.kind = 'bot')
GROUP BY o.kind;

-- name: spaces_known
SELECT id, kind, platform, name FROM owner WHERE kind = 'space' AND platform <> 'zgadka' AND id > :after ORDER BY id LIMIT :limit;

-- name: places_of_person
-- The spaces where a person is or was, and how they go there.
SELECT owner, name, nickname, role, left_at FROM member WHERE person = :person ORDER BY owner;

-- name: members_known
-- The people of a space, with how they go there.
SELECT person, coalesce(nickname, name), role, level FROM member
WHERE owner = :owner AND kind = 'person' AND left_at IS NULL ORDER BY person LIMIT :limit;

-- name: activity_range
-- From when until when something was counted.
SELECT min(at), max(at) FROM activity;

-- name: questions_open
SELECT {question}, owner FROM question
WHERE kind IN ('consent', 'save') AND expires_at > :now ORDER BY asked_at, length(id), id LIMIT :limit;

-- name: rollout_began
SELECT began_at FROM rollout;

-- name: rollout_begin
INSERT INTO rollout (id, began_at) VALUES (1, :now) ON CONFLICT DO NOTHING;

-- name: chat_get
SELECT seen_at, arm, (SELECT count(*) FROM stretch s WHERE s.owner = :owner AND s.chat = :chat),
    coalesce((SELECT r.audience FROM readership r WHERE r.owner = :owner AND r.chat = :chat), 0)
FROM chat c WHERE c.owner = :owner AND c.chat = :chat;

-- name: chat_see
INSERT INTO chat (owner, chat, seen_at) VALUES (:owner, :chat, :seen_at) ON CONFLICT DO NOTHING;

-- name: chat_first_message
SELECT min(at) FROM message {index message_chat} WHERE owner = :owner AND chat = :chat;

-- name: chat_choose
UPDATE chat SET arm = :arm WHERE owner = :owner AND chat = :chat;

-- name: erase_chats
DELETE FROM chat WHERE owner = :owner;

-- name: stretch_open
INSERT INTO stretch (owner, chat, thread, lineage, after, due_at)
VALUES (:owner, :chat, :thread, :lineage, :after, :due_at) ON CONFLICT DO NOTHING;

-- name: stretch_take
DELETE FROM stretch WHERE owner = :owner AND chat = :chat AND thread = :thread AND lineage = :lineage RETURNING after;

-- name: stretches_due
SELECT owner, chat, thread, lineage FROM stretch WHERE due_at <= :now OR due_at > :far ORDER BY owner, chat, thread, lineage;

-- name: erase_stretches
DELETE FROM stretch WHERE owner = :owner;

-- name: messages_after
SELECT m.id, m.role, m.person, m.text, m.at, m.person, m.audience FROM message m {index message_chat}
WHERE m.owner = :owner AND m.chat = :chat AND m.thread = :thread AND m.lineage = :lineage AND m.id > :after
    AND m.withheld = 0
ORDER BY m.id LIMIT :limit;

-- name: observations
SELECT owner, id, turn, text, noted_at FROM observation ORDER BY id;

-- name: observations_of
SELECT owner, id, turn, text, noted_at FROM observation WHERE owner = :owner ORDER BY id;

-- name: spaces_with_due_observations
-- Where a message has waited long enough, or was queued later than now. In a turn as JSON, what people wrote has its
-- quotation marks escaped, so it does not look like an arm.
SELECT owner FROM observation {index observation_noted} WHERE noted_at <= :silent AND turn LIKE '%"arm": "automated"%'
UNION
SELECT owner FROM observation {index observation_noted} WHERE noted_at <= :patience AND turn NOT LIKE '%"arm": "automated"%'
UNION SELECT owner FROM observation {index observation_noted} WHERE noted_at > :now;

-- name: spaces_with_many_observations
-- Of those that came too late to be due by themselves, by the index alone.
SELECT owner FROM observation {index observation_noted} WHERE noted_at > :silent GROUP BY owner HAVING count(*) >= :many;

-- name: rate_get
SELECT calls FROM rate WHERE owner = :owner AND span = :span;

-- What a space has, taken into another one.

-- name: moved_names
SELECT name FROM moved WHERE space = :space;

-- name: moved_find
SELECT space, (SELECT form FROM owner WHERE id = space) FROM moved WHERE platform = :platform AND name = :name;

-- name: moved_put
INSERT INTO moved (platform, name, space) VALUES (:platform, :name, :space)
ON CONFLICT (platform, name) DO UPDATE SET space = excluded.space;

-- name: moved_follow
UPDATE moved SET space = :into WHERE space = :space;

-- name: moved_forget
DELETE FROM moved WHERE space = :space;

-- name: spaces_between
SELECT id, kind, platform, name FROM owner
WHERE platform = :platform AND kind = 'space' AND name >= :first AND name < :last ORDER BY name;

-- name: sources_move
UPDATE source SET space = :into WHERE owner = :owner AND space = :space;

-- name: sources_forget
DELETE FROM source WHERE owner = :owner AND space = :space;

-- name: question_move
UPDATE question SET space = CASE WHEN kind = 'consent' THEN CAST(:into AS BIGINT) END, turn = :turn
WHERE owner = :owner AND id = :id;

-- name: removal_put
INSERT INTO removal (owner, at) VALUES (:owner, :at) ON CONFLICT (owner) DO NOTHING;

-- name: removal_end
DELETE FROM removal WHERE owner = :owner;

-- name: removals
-- Where something was said since, the program is there, whatever it was told.
SELECT r.owner FROM removal r
WHERE r.at <= :before AND NOT EXISTS (SELECT 1 FROM message m WHERE m.owner = r.owner AND m.at > r.at) ORDER BY r.owner;

-- name: event_before
UPDATE event SET before = :before WHERE owner = :owner AND memory = :memory AND number = :number;

-- name: move_members
INSERT INTO member (owner, person, name, nickname, kind, role, left_at, level)
SELECT :owner, person, name, nickname, kind, role, left_at, level FROM member WHERE owner = :space
ON CONFLICT (owner, person) DO UPDATE SET level = excluded.level WHERE excluded.level > member.level;

-- name: move_readers
UPDATE message SET audience = :audience WHERE owner = :owner AND audience = :former;

-- name: move_chat_readers
UPDATE readership SET audience = :audience WHERE owner = :owner AND audience = :former;

-- name: move_readerships
INSERT INTO readership (owner, chat, audience)
SELECT :owner, CASE WHEN :thread <> '' THEN :thread WHEN chat = :chat THEN :new_chat ELSE chat END, audience
FROM readership WHERE owner = :space ON CONFLICT DO NOTHING;

-- name: move_titles
-- A space that becomes a part of another one is not what that one is called by.
INSERT INTO title (owner, chat, thread, text, since)
SELECT :owner,
    CASE WHEN :thread <> '' AND thread = :thread THEN thread WHEN chat = :chat THEN :new_chat ELSE chat END,
    CASE WHEN :thread <> '' AND thread = :thread THEN '' ELSE thread END, text, since
FROM title WHERE owner = :space AND (chat <> '' OR :thread = '') ON CONFLICT DO NOTHING;

-- name: move_messages
INSERT INTO message (owner, id, chat, thread, lineage, role, person, source, text, at, keep_until, withheld, audience)
SELECT :owner, id,
    CASE WHEN :thread <> '' AND thread = :thread THEN thread WHEN chat = :chat THEN :new_chat ELSE chat END,
    CASE WHEN :thread <> '' AND thread = :thread THEN '' ELSE thread END,
    lineage, role, person,
    CASE WHEN chat = :chat AND :chat <> :new_chat THEN :chat || ':' || source ELSE source END,
    text, at, keep_until, withheld, audience
FROM message WHERE owner = :space
ON CONFLICT DO NOTHING RETURNING id;

-- name: move_message_subjects
INSERT INTO subject (owner, person, kind, id, role, level)
SELECT :owner, person, kind, id, role, level FROM subject WHERE owner = :space AND kind = 'message' ON CONFLICT DO NOTHING;

-- name: move_levels
-- In both spaces, the stricter level counts.
UPDATE subject SET level = m.level FROM member m
WHERE subject.owner = :owner AND m.owner = :owner AND m.person = subject.person AND m.level > subject.level
    AND m.person IN (SELECT s.person FROM member s WHERE s.owner = :space);

-- name: move_given
INSERT INTO given (owner, message, memory) SELECT :owner, message, memory FROM given WHERE owner = :space
ON CONFLICT DO NOTHING;

-- name: move_unquoted
INSERT INTO unquoted (owner, id) SELECT :owner, id FROM unquoted WHERE owner = :space ON CONFLICT DO NOTHING;

-- name: move_observations
INSERT INTO observation (owner, id, turn, text, noted_at)
SELECT :owner, id, turn, text, noted_at FROM observation WHERE owner = :space ON CONFLICT DO NOTHING;

-- name: move_stretches
INSERT INTO stretch (owner, chat, thread, lineage, after, due_at)
SELECT :owner,
    CASE WHEN :thread <> '' AND thread = :thread THEN thread WHEN chat = :chat THEN :new_chat ELSE chat END,
    CASE WHEN :thread <> '' AND thread = :thread THEN '' ELSE thread END, lineage, after, due_at
FROM stretch WHERE owner = :space ON CONFLICT DO NOTHING;

-- name: move_chats
INSERT INTO chat (owner, chat, seen_at, arm)
SELECT :owner, CASE WHEN :thread <> '' THEN :thread WHEN chat = :chat THEN :new_chat ELSE chat END, seen_at, arm
FROM chat WHERE owner = :space
ON CONFLICT (owner, chat) DO UPDATE SET arm = coalesce(chat.arm, excluded.arm),
    seen_at = CASE WHEN excluded.seen_at < chat.seen_at THEN excluded.seen_at ELSE chat.seen_at END;

-- name: move_calls
INSERT INTO task (owner, id, kind, priority, state, payload, chat, thread, lineage, person, attempts, run_at,
    leased_until, worker, error, result, created_at, finished_at)
SELECT :owner, id, kind, priority, state, payload,
    CASE WHEN :thread <> '' AND thread = :thread THEN thread WHEN chat = :chat THEN :new_chat ELSE chat END,
    CASE WHEN :thread <> '' AND thread = :thread THEN '' ELSE thread END,
    lineage, person, attempts, run_at, 0, '', error, result, created_at, finished_at
FROM task WHERE owner = :space AND kind = 'call' ON CONFLICT DO NOTHING;
