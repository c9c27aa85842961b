-- Queries by name, as SQLite takes them; see queries.sql.

-- name: next_id
INSERT INTO sequence (name, value) VALUES (:name, 1)
ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value;

-- name: owner_level
INSERT INTO privacy (owner, level) SELECT id, :level FROM owner WHERE id = :owner ON CONFLICT DO NOTHING;

-- name: member_seen
INSERT INTO member (owner, person, kind, level) VALUES (:owner, :person, 'person', :level)
ON CONFLICT (owner, person) DO UPDATE SET left_at = NULL WHERE left_at <= :at;

-- name: members_named
SELECT person, name, nickname FROM member
WHERE owner = :owner AND person IN (SELECT value FROM json_each(:people));

-- name: members_called
-- So many of a space's people: in which of their names the pattern is, is found out faster outside.
SELECT person, name, nickname FROM member
WHERE owner = :owner AND kind = 'person' AND left_at IS NULL AND :pattern <> '' ORDER BY person DESC LIMIT :looked;

-- name: memories_get
SELECT {memory} FROM memory WHERE owner = :owner AND id IN (SELECT value FROM json_each(:ids));

-- name: memory_in_slots
-- Without the hint SQLite reads all rows of the owner.
SELECT {memory} FROM memory INDEXED BY memory_slot
WHERE owner = :owner AND slot IN (
    substr(:slots, 1, 16), substr(:slots, 17, 16), substr(:slots, 33, 16), substr(:slots, 49, 16),
    substr(:slots, 65, 16), substr(:slots, 81, 16), substr(:slots, 97, 16), substr(:slots, 113, 16))
UNION ALL SELECT {memory} FROM memory WHERE owner = :owner AND slot < :end AND archived = 0;

-- name: memories_renew
-- The limit has SQLite look rows up by their ids, and not read the array for each of them.
UPDATE memory SET key = new.key, canonical = new.canonical, slot = new.slot
FROM (
    SELECT CAST(value ->> 'id' AS INTEGER) AS id, value ->> 'key' AS key, value ->> 'canonical' AS canonical,
        unhex(value ->> 'slot') AS slot
    FROM json_each(:rows) LIMIT -1) new
WHERE memory.owner = :owner AND memory.id = new.id;

-- name: memories_of_members
SELECT {memory} FROM memory
WHERE id IN (SELECT value FROM json_each(:ids)) AND owner IN (SELECT m.person FROM member m WHERE m.owner = :owner);

-- name: members_who_forgot
SELECT DISTINCT e.owner FROM event e
WHERE e.owner IN (SELECT m.person FROM member m WHERE m.owner = :owner) AND e.memory IN (SELECT value FROM json_each(:ids))
    AND e.action IN ('deleted', 'cleared', 'forgotten') AND e.change IS NOT NULL;

-- name: memories_restricted
SELECT DISTINCT s.id FROM subject s
WHERE s.owner = :owner AND s.kind = 'memory' AND s.id IN (SELECT value FROM json_each(:ids))
    AND s.person <> :but AND {unwilling};

-- name: memory_visible_statistics
SELECT count(*), coalesce(sum(word_count), 0) FROM memory
WHERE {visible};

-- name: memory_matching
SELECT {heading}, words FROM memory
WHERE {visible}
    AND id IN (SELECT rowid FROM memory_index WHERE memory_index MATCH :match);

-- name: memory_with_keys
SELECT {memory} FROM memory {index memory_key}
WHERE {visible} AND kind = 'fact'
    AND key IN (SELECT value FROM json_each(:keys))
ORDER BY id;

-- name: memories_saying
SELECT {memory}, words FROM memory
WHERE {visible} AND kind IN ('fact', 'note')
    AND id IN (SELECT rowid FROM memory_index WHERE memory_index MATCH :match
        UNION ALL SELECT value FROM json_each(:put_off)) AND id <> :but
ORDER BY +id DESC LIMIT :limit;  -- with `+`, not by looking through all that the owner has

-- name: index_add
INSERT INTO memory_index (rowid, words)
VALUES (:id, 'o' || :owner || 'x' || replace(:words, ' ', ' o' || :owner || 'x'));

-- name: index_remove
INSERT INTO memory_index (memory_index, rowid, words)
VALUES ('delete', :id, 'o' || :owner || 'x' || replace(:words, ' ', ' o' || :owner || 'x'));

-- name: revision_next
INSERT INTO revision (owner, what, number) VALUES (:owner, :what, 1)
ON CONFLICT (owner, what) DO UPDATE SET number = number + 1 RETURNING number;

-- name: embedder_progress
UPDATE embedder SET owner = coalesce(:owner, owner), complete = (:owner IS NULL) WHERE id = :embedder;

-- name: tally_add
INSERT INTO tally (owner, lineage, kind, live) VALUES (:owner, :lineage, :kind, 1)
ON CONFLICT (owner, lineage, kind) DO UPDATE SET live = live + 1;

-- name: messages_get
SELECT m.id, m.role, m.person, m.text, m.at FROM message m
WHERE m.owner = :owner AND {told} AND m.id IN (SELECT value FROM json_each(:ids));

-- name: messages_found
SELECT m.id, m.role, m.person, m.text, m.at, m.person FROM message m
WHERE m.owner = :owner AND m.id IN (SELECT value FROM json_each(:ids)) AND {told} AND {read_here};

-- name: blocks_get
SELECT id, data FROM block
WHERE owner = :owner AND conversation = :conversation AND id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- name: blocks_with
SELECT DISTINCT (SELECT max(b.id) FROM block b
    WHERE b.owner = :owner AND b.conversation = :conversation AND b.id <= message.value)
FROM json_each(:ids) message;

-- name: blocks_holding
SELECT w.word, w.block FROM json_each(:words) asked CROSS JOIN block_word w
WHERE w.owner = :owner AND w.conversation = :conversation AND w.word = asked.value
    AND w.block > coalesce((SELECT n.block FROM block_word n
        WHERE n.owner = :owner AND n.conversation = :conversation AND n.word = asked.value
        ORDER BY n.block DESC LIMIT 1 OFFSET :limit), 0)
ORDER BY w.word, w.block;

-- name: block_words_add
INSERT INTO block_word (owner, conversation, word, block)
SELECT :owner, :conversation, value, :id FROM json_each(:words);

-- name: block_words_remove
DELETE FROM block_word WHERE owner = :owner AND conversation = :conversation AND block = :id
    AND word IN (SELECT value FROM json_each(:words));

-- name: message_people
SELECT id, person, role FROM message WHERE owner = :owner AND id IN (SELECT value FROM json_each(:ids));

-- name: message_audiences
SELECT id, audience FROM message
WHERE owner = :owner AND audience <> 0 AND id IN (SELECT value FROM json_each(:ids));

-- name: messages_before
-- Of each of these messages the one before it in its chat and thread; 0: it is the first.
SELECT a.id, coalesce((
    SELECT max(b.id) FROM message b {index message_chat}
    WHERE b.owner = :owner AND b.chat = a.chat AND b.thread = a.thread AND b.id < a.id), 0)
FROM message a WHERE a.owner = :owner AND a.id IN (SELECT value FROM json_each(:ids));

-- name: message_chats
SELECT id, chat FROM message WHERE owner = :owner AND id IN (SELECT value FROM json_each(:ids));

-- name: event_readers
UPDATE event SET before = json_set(before, '$.audience', :audience)
WHERE owner = :owner AND memory = :memory AND before IS NOT NULL AND json_extract(before, '$.space') = :space
    AND coalesce(json_extract(before, '$.audience'), 0) = :former;

-- name: messages_remembered
-- Of these messages those from which something else than an episode is remembered, or may be again.
SELECT DISTINCT s.message FROM source s
WHERE s.space = :space AND s.message IN (SELECT value FROM json_each(:ids))
    AND NOT EXISTS (SELECT 1 FROM memory k WHERE k.owner = s.owner AND k.id = s.memory AND k.kind = 'episode');

-- name: messages_of_episode
SELECT m.id, m.role, m.person, m.text, m.at, m.person, m.audience FROM message m
WHERE m.owner = :owner AND m.withheld = 0 AND m.id IN (SELECT value FROM json_each(:ids)) ORDER BY m.id;

-- name: owners_naming
-- Those whose rows tell of a person by name, or did so. A number as a text by CAST would be looked up in no index.
SELECT owner FROM (
    SELECT owner FROM (
        SELECT owner FROM question WHERE asker = :name
        UNION SELECT owner FROM event WHERE actor = :name
        UNION SELECT owner FROM event WHERE before IS NOT NULL AND json_extract(before, '$.said_by') = :name
        UNION SELECT owner FROM memory WHERE said_by = :name
        UNION SELECT owner FROM task WHERE kind = 'call' AND {user} = (:number || '')
        UNION SELECT owner FROM task WHERE kind = 'call' AND {related_user} = (:number || '')
        UNION SELECT owner FROM task WHERE kind = 'call' AND {target_user} = (:number || '')
        UNION SELECT owner FROM task WHERE kind = 'undo' AND {undoer} = :name) named
    WHERE EXISTS (SELECT 1 FROM owner o WHERE o.id = named.owner AND o.platform = :platform)
    UNION SELECT owner FROM past_person WHERE person = :person) found
WHERE owner <> :person;

-- name: owners_with_past_in
-- Its number is looked for first: reading JSON takes longer.
SELECT DISTINCT e.owner FROM event e
WHERE e.at >= :since AND instr(e.before, :space) > 0
    AND json_extract(CASE WHEN json_valid(e.before) THEN e.before END, '$.space') = :space;

-- name: event_places
-- Of which memories the trail says that they were seen where.
SELECT DISTINCT memory, json_extract(CASE WHEN json_valid(before) THEN before END, '$.space') FROM event
WHERE owner = :owner AND before IS NOT NULL;

-- name: erase_undos
DELETE FROM task WHERE owner = :owner AND kind = 'undo' AND {undoer} = :name;

-- name: erase_excerpts_before
UPDATE event SET before = json_remove(before, '$.excerpt')
WHERE owner = :owner AND json_extract(before, '$.excerpt') IS NOT NULL
    AND memory IN (SELECT e.memory FROM event e WHERE e.owner = :owner AND e.actor = :name
        UNION SELECT past.memory FROM event e  -- what such a memory left as past
        JOIN event ended ON ended.owner = e.owner AND ended.memory = e.memory
        JOIN event past ON past.owner = e.owner AND past.change = ended.change AND past.reason IN ('ended', 'own word')
        WHERE e.owner = :owner AND e.actor = :name);

-- name: erase_gone_notes
DELETE FROM event WHERE owner = :owner AND memory IN (
    SELECT e.memory FROM event e WHERE e.owner = :owner AND json_extract(e.before, '$.said_by') = :name
    AND json_extract(e.before, '$.kind') = 'note' AND json_extract(e.before, '$.space') = :owner
    AND json_extract(e.before, '$.people') IS NULL
) AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.owner = :owner AND m.id = event.memory);

-- name: event_lift_before
UPDATE event SET before = json_set(before, '$.withheld', 0)
WHERE owner = :owner AND memory = :memory AND json_extract(before, '$.withheld') = :change;

-- name: events_said_before
SELECT DISTINCT memory FROM event WHERE owner = :owner AND json_extract(before, '$.said_by') = :name;

-- name: erase_said_before
UPDATE event SET before = json_set(before, '$.said_by', 'erased')
WHERE owner = :owner AND json_extract(before, '$.said_by') = :name;

-- name: message_keep
UPDATE message SET keep_until = max(coalesce(keep_until, 0), :keep_until) WHERE owner = :owner AND id = :id;

-- name: questions_due
SELECT {question}, owner FROM question
WHERE kind = 'save' AND reminded_at IS NULL AND expires_at > :now AND (asked_at + expires_at) / 2 <= :now
    AND (:platform IS NULL OR owner IN (SELECT id FROM owner WHERE platform = :platform)) LIMIT :limit;

-- name: rate_take
INSERT INTO rate (owner, span, calls, ends_at) VALUES (:owner, :span, :calls, :ends_at)
ON CONFLICT (owner, span) DO UPDATE SET
    calls = CASE WHEN ends_at <= :now THEN :calls ELSE calls + :calls END,
    ends_at = CASE WHEN ends_at <= :now THEN excluded.ends_at ELSE min(ends_at, excluded.ends_at) END
RETURNING calls, ends_at;

-- name: rates_take
INSERT INTO rate (owner, span, calls, ends_at)
SELECT value ->> 'owner', value ->> 'span', value ->> 'calls', value ->> 'ends_at' FROM json_each(:rows) WHERE TRUE
ON CONFLICT (owner, span) DO UPDATE SET
    calls = CASE WHEN ends_at <= :now THEN excluded.calls ELSE calls + excluded.calls END,
    ends_at = CASE WHEN ends_at <= :now THEN excluded.ends_at ELSE min(ends_at, excluded.ends_at) END
RETURNING owner, span, calls, ends_at;

-- name: tasks_add
INSERT INTO task (owner, id, kind, priority, state, payload, chat, thread, lineage, person, attempts, run_at,
    leased_until, worker, created_at)
SELECT value ->> 'owner', value ->> 'id', value ->> 'kind', value ->> 'priority', 'waiting', value ->> 'payload',
    value ->> 'chat', value ->> 'thread', value ->> 'lineage', value ->> 'person', 0, value ->> 'run_at', 0, '',
    value ->> 'now'
FROM json_each(:rows);

-- name: hold_free
-- Whoever writes has all.
SELECT value FROM json_each(:owners);

-- name: owners_named
SELECT o.kind, o.platform, o.name, o.id, o.form
FROM json_each(:names) asked
JOIN owner o ON o.platform = asked.value ->> 'platform' AND o.kind = asked.value ->> 'kind'
    AND o.name = asked.value ->> 'name';

-- name: owners_get
SELECT id, kind, platform, name FROM owner WHERE id IN (SELECT value FROM json_each(:ids));

-- name: next_ids
INSERT INTO sequence (name, value) VALUES (:name, :count)
ON CONFLICT (name) DO UPDATE SET value = value + :count RETURNING value - :count + 1, value;

-- name: task_put_off
UPDATE task SET state = :state, attempts = :attempts, error = :error, run_at = :run_at, leased_until = 0, worker = '',
    finished_at = CASE WHEN :state = 'failed' THEN :now END
WHERE owner = :owner AND id = :id AND state = 'waiting' AND worker = :worker;

-- name: tasks_retry
UPDATE task SET state = 'waiting', attempts = 0, run_at = :now, leased_until = 0, worker = '', finished_at = NULL
WHERE state = 'failed' AND (:id IS NULL OR id = :id) RETURNING id;

-- name: owners_of_tasks
SELECT owner FROM task WHERE person = :person
UNION SELECT owner FROM (
    SELECT owner FROM task WHERE kind = 'call' AND {user} = (:number || '')
    UNION SELECT owner FROM task WHERE kind = 'call' AND {related_user} = (:number || '')
    UNION SELECT owner FROM task WHERE kind = 'call' AND {target_user} = (:number || '')) named
WHERE EXISTS (SELECT 1 FROM owner o WHERE o.id = named.owner AND o.platform = :platform);

-- name: calls_about
SELECT owner, id, kind, priority, state, payload, attempts, run_at, created_at, error, result FROM task
WHERE owner = :owner AND kind = 'call'
    AND (person = :person OR (:number || '') IN ({user}, {related_user}, {target_user}))
ORDER BY id;

-- name: erase_tasks
DELETE FROM task
WHERE owner = :owner AND created_at <= :until
    AND (person = :person OR (:number || '') IN ({user}, {related_user}, {target_user}))
RETURNING id;

-- name: chore_claim
INSERT INTO chore (name, next_at) VALUES (:name, :next)
ON CONFLICT (name) DO UPDATE SET next_at = :next WHERE next_at <= :now OR next_at > :next
RETURNING name;

-- name: export_member
SELECT owner, person, name, nickname, kind, role, left_at, level FROM member
WHERE (owner, person) > (:owner, :person) ORDER BY owner, person LIMIT :limit;

-- name: sequence_raise
INSERT INTO sequence (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value);

-- name: index_next
SELECT term FROM posting_word WHERE term >= :from LIMIT 1;

-- name: index_postings
SELECT doc, term FROM posting WHERE term >= :from AND term < :to;

-- name: activity_add_up
INSERT INTO activity (at, what, name, outcome, bound, number, total)
SELECT at - at % :span, what, name, outcome, bound, sum(number), sum(total) FROM activity
WHERE at < :before AND at % :span <> 0 GROUP BY at - at % :span, what, name, outcome, bound
ON CONFLICT (at, what, name, outcome, bound) DO UPDATE SET
    number = activity.number + excluded.number, total = activity.total + excluded.total;

-- name: backlog
SELECT (SELECT count(*) FROM task WHERE state = 'waiting'), (SELECT min(created_at) FROM task WHERE state = 'waiting'),
    (SELECT count(*) FROM task WHERE state = 'failed'),
    (SELECT count(*) FROM question WHERE expires_at > :now
        AND (kind = 'consent' OR (kind = 'save' AND instr(content, '"state": "open"') > 0))),
    (SELECT min(asked_at) FROM question WHERE expires_at > :now
        AND (kind = 'consent' OR (kind = 'save' AND instr(content, '"state": "open"') > 0))),
    (SELECT count(*) FROM unembedded);

-- name: members_of_person
SELECT m.owner FROM member m JOIN owner o ON o.id = m.owner
WHERE m.person = :person AND o.platform = :platform AND o.kind <> 'person' ORDER BY m.owner;

-- name: owners_spoken_of
SELECT DISTINCT m.owner FROM owner p JOIN memory m ON m.said_by = p.name JOIN owner o ON o.id = m.owner
WHERE p.id = :person AND o.platform = p.platform AND m.owner <> :person AND m.archived = 0;

-- name: owners_made_from
SELECT DISTINCT s.owner FROM owner o JOIN source s ON s.owner = o.id AND s.space = :space AND s.message = :message
ORDER BY s.owner;

-- name: owners_of_chat
SELECT DISTINCT m.owner FROM owner o JOIN memory m ON m.owner = o.id AND m.space = :space AND m.chat = :chat
WHERE o.platform = :platform ORDER BY m.owner;

-- name: owners_from_space
SELECT DISTINCT s.owner FROM owner o JOIN source s ON s.owner = o.id AND s.space = :space
WHERE o.platform = :platform ORDER BY s.owner;

-- name: owners_of_change
SELECT DISTINCT e.owner FROM owner o JOIN event e ON e.owner = o.id AND e.change = :change ORDER BY e.owner;

-- name: owners_seen_in
SELECT DISTINCT m.owner FROM owner o JOIN memory m ON m.owner = o.id AND m.space = :space
WHERE o.platform = :platform ORDER BY m.owner;

-- name: owners_asked_in
-- What is to be saved says where it was asked in its turn alone.
SELECT q.owner, CASE WHEN q.kind = 'save' THEN q.turn END FROM owner o JOIN question q ON q.owner = o.id
WHERE o.platform = :platform AND (q.space = :space OR q.kind = 'save') ORDER BY q.owner;

-- name: platforms_with_readers
SELECT DISTINCT o.platform FROM owner o
JOIN (SELECT owner FROM audience UNION SELECT owner FROM readership) r ON r.owner = o.id;

-- name: platforms_with_given
SELECT DISTINCT o.platform FROM owner o JOIN given g ON g.owner = o.id;

-- name: spaces_of_several_chats
SELECT o.platform, count(*) FROM owner o JOIN (
    SELECT owner FROM (
        SELECT owner, chat FROM message UNION SELECT space, chat FROM memory WHERE chat IS NOT NULL) seen
    GROUP BY owner HAVING count(*) > 1) several ON several.owner = o.id
WHERE o.kind = 'space' GROUP BY o.platform ORDER BY o.platform;

-- name: events_by
-- What somebody who is no person did to what people of a platform are remembered by.
SELECT e.owner, e.memory, e.number, e.at FROM event e JOIN owner o ON o.id = e.owner
WHERE e.at > :after AND e.at <= :until AND e.actor = :actor AND e.memory > 0
    AND o.kind = 'person' AND o.platform = :platform
ORDER BY e.at, e.memory, e.number;

-- name: chats_named
SELECT c.owner FROM chat c JOIN owner o ON o.id = c.owner WHERE o.platform = :platform AND c.chat = :chat ORDER BY c.owner;

-- name: chats_chosen
SELECT o.platform, c.chat, c.arm, o.kind, o.name FROM chat c JOIN owner o ON o.id = c.owner
WHERE c.arm IS NOT NULL ORDER BY o.platform, c.chat, c.owner;

-- For operators: over everybody's rows.

-- name: memory_find
-- Owner by owner, since ids alone are in no index.
SELECT o.id FROM owner o WHERE EXISTS (SELECT 1 FROM memory m WHERE m.owner = o.id AND m.id = :id)
    OR EXISTS (SELECT 1 FROM event e WHERE e.owner = o.id AND e.memory = :id);

-- name: storage_size
SELECT page_count * page_size FROM pragma_page_count, pragma_page_size;

-- name: people_names
SELECT person, name, nickname FROM member WHERE person IN (SELECT value FROM json_each(:people));

-- name: people_counts
SELECT owner, sum(live) FROM tally WHERE owner IN (SELECT value FROM json_each(:people)) GROUP BY owner;

-- name: spaces_with_old_messages
SELECT o.id FROM owner o
WHERE o.kind <> 'person' AND EXISTS (SELECT 1 FROM message m WHERE m.owner = o.id AND m.at < :before AND {unkept})
ORDER BY o.id;

-- name: answers_after_memories
-- Answers to people of whom, or of whose space, something was remembered before and may be told there.
SELECT o.platform, count(*) FROM message m JOIN owner o ON o.id = m.owner
WHERE m.role = 'assistant' AND (
    EXISTS (SELECT 1 FROM memory k WHERE k.owner = m.person AND k.space IN (0, m.owner) AND k.archived = 0
        AND k.created_at < m.at)
    OR EXISTS (SELECT 1 FROM memory k WHERE k.owner = m.owner AND k.archived = 0 AND k.created_at < m.at))
GROUP BY o.platform ORDER BY o.platform;

-- name: memories_known
-- Those for a page first, by few columns: sorting all of them whole would take longer than to find them. Most rows lack
-- the word that the three forms are of, and are done with before their other words are asked for.
SELECT {memory} FROM memory WHERE (owner, id) IN (
    SELECT owner, id FROM memory
    WHERE (:space = 0 OR space = :space)
        AND (:kind = '' OR kind = :kind) AND (:type = '' OR type = :type)
        AND (:hidden <> 0 OR (archived = 0 AND withheld = 0))
        AND updated_at >= :since AND confidence BETWEEN :unsurest AND :surest
        AND (:form_a = '' OR instr(' ' || words || ' ', :form_a) > 0
            OR (:form_b <> '' AND instr(' ' || words || ' ', :form_b) > 0)
            OR (:form_c <> '' AND instr(' ' || words || ' ', :form_c) > 0))
        AND NOT EXISTS (SELECT 1 FROM json_each(:words) w WHERE NOT EXISTS (
            SELECT 1 FROM json_each(w.value) form WHERE instr(' ' || words || ' ', ' ' || form.value) > 0))
        AND ({ranked} < :value OR ({ranked} = :value AND id < :before))
    ORDER BY {ranked} DESC, id DESC LIMIT :limit)
ORDER BY {ranked} DESC, id DESC;

-- name: events_expired
-- What is no JSON cannot be taken out of the indexes of what is in it: its memory waits for a repair, and nobody else.
SELECT e.owner, e.memory, e.number FROM event e
WHERE e.expires_at IS NOT NULL AND e.expires_at <= :now
    AND NOT EXISTS (
        SELECT 1 FROM event b
        WHERE b.owner = e.owner AND b.memory = e.memory AND b.before IS NOT NULL AND NOT json_valid(b.before)
    )
LIMIT :limit;
