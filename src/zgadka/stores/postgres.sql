-- Queries by name, as PostgreSQL takes them; see queries.sql. The same names, parameters and columns as in sqlite.sql.

-- name: next_id
INSERT INTO sequence (name, value) VALUES (:name, 1)
ON CONFLICT (name) DO UPDATE SET value = sequence.value + 1 RETURNING value;

-- name: member_seen
INSERT INTO member (owner, person, kind, level) VALUES (:owner, :person, 'person', :level)
ON CONFLICT (owner, person) DO UPDATE SET left_at = NULL WHERE member.left_at <= :at;

-- name: members_named
SELECT person, name, nickname FROM member
WHERE owner = :owner AND person = ANY (ARRAY (SELECT json_array_elements_text(:people::json)::bigint));

-- name: members_called
-- Of so many of a space's people, those with the pattern in their names.
SELECT person, name, nickname FROM (
    SELECT person, name, nickname FROM member
    WHERE owner = :owner AND kind = 'person' AND left_at IS NULL ORDER BY person DESC LIMIT :looked) known
WHERE ' ' || coalesce(name, '') || ' ' || coalesce(nickname, '') ~ :pattern;

-- name: memories_get
SELECT {memory} FROM memory
WHERE owner = :owner AND id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint));

-- name: memory_in_slots
SELECT {memory} FROM memory
WHERE owner = :owner AND slot IN (
    substring(:slots::bytea, 1, 16), substring(:slots::bytea, 17, 16), substring(:slots::bytea, 33, 16), substring(:slots::bytea, 49, 16),
    substring(:slots::bytea, 65, 16), substring(:slots::bytea, 81, 16), substring(:slots::bytea, 97, 16), substring(:slots::bytea, 113, 16))
UNION ALL SELECT {memory} FROM memory WHERE owner = :owner AND slot < :end AND archived = 0;

-- name: memories_renew
UPDATE memory SET key = new.key, canonical = new.canonical, slot = decode(new.slot, 'hex')
FROM json_to_recordset(:rows::json) AS new (id BIGINT, key TEXT, canonical TEXT, slot TEXT)
WHERE memory.owner = :owner AND memory.id = new.id;

-- name: memories_of_members
SELECT {memory} FROM memory
WHERE id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint)) AND owner IN (SELECT m.person FROM member m WHERE m.owner = :owner);

-- name: members_who_forgot
SELECT DISTINCT e.owner FROM event e
WHERE e.owner IN (SELECT m.person FROM member m WHERE m.owner = :owner) AND e.memory = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint))
    AND e.action IN ('deleted', 'cleared', 'forgotten') AND e.change IS NOT NULL;

-- name: memories_restricted
SELECT DISTINCT s.id FROM subject s
WHERE s.owner = :owner AND s.kind = 'memory' AND s.id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint))
    AND s.person <> :but AND {unwilling};

-- name: memory_visible_statistics
SELECT count(*), coalesce(sum(word_count), 0)::bigint FROM memory
WHERE {visible};

-- name: memory_matching
-- `:match` is what SQLite's index is asked: "o17xkyiv" OR "o17xlviv".
SELECT {heading}, words FROM memory
WHERE {visible}
    AND string_to_array(words, ' ') && (SELECT string_to_array(
        substr(rtrim(:match, '"'), length('"o' || :owner::text || 'x') + 1), '" OR "o' || :owner::text || 'x'));

-- name: memory_with_keys
SELECT {memory} FROM memory
WHERE {visible} AND kind = 'fact'
    AND key = ANY (ARRAY (SELECT json_array_elements_text(:keys::json)))
ORDER BY id;

-- name: memories_saying
SELECT {memory}, words FROM memory
WHERE {visible} AND kind IN ('fact', 'note')
    AND string_to_array(words, ' ') && (SELECT string_to_array(
        substr(rtrim(:match, '"'), length('"o' || :owner::text || 'x') + 1), '" OR "o' || :owner::text || 'x'))
    AND id <> :but
ORDER BY id DESC LIMIT :limit;

-- name: revision_next
INSERT INTO revision (owner, what, number) VALUES (:owner, :what, 1)
ON CONFLICT (owner, what) DO UPDATE SET number = revision.number + 1 RETURNING number;

-- name: embedder_progress
UPDATE embedder SET owner = coalesce(:owner::bigint, owner), complete = (:owner::bigint IS NULL)::int
WHERE id = :embedder;

-- name: tally_add
INSERT INTO tally (owner, lineage, kind, live) VALUES (:owner, :lineage, :kind, 1)
ON CONFLICT (owner, lineage, kind) DO UPDATE SET live = tally.live + 1;

-- name: messages_get
SELECT m.id, m.role, m.person, m.text, m.at FROM message m
WHERE m.owner = :owner AND {told} AND m.id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint));

-- name: messages_found
SELECT m.id, m.role, m.person, m.text, m.at, m.person FROM message m
WHERE m.owner = :owner AND m.id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint)) AND {told} AND {read_here};

-- name: blocks_get
SELECT id, data FROM block
WHERE owner = :owner AND conversation = :conversation
    AND id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint)) ORDER BY id;

-- name: blocks_with
SELECT DISTINCT (SELECT max(b.id) FROM block b
    WHERE b.owner = :owner AND b.conversation = :conversation AND b.id <= message.value::bigint)
FROM json_array_elements_text(:ids::json) message (value);

-- name: blocks_holding
SELECT w.word, w.block FROM json_array_elements_text(:words::json) asked (value)
CROSS JOIN LATERAL (SELECT n.word, n.block FROM block_word n
    WHERE n.owner = :owner AND n.conversation = :conversation AND n.word = asked.value
    ORDER BY n.block DESC LIMIT :limit) w
ORDER BY w.word, w.block;

-- name: block_words_add
INSERT INTO block_word (owner, conversation, word, block)
SELECT :owner::bigint, :conversation::bigint, value, :id::bigint FROM json_array_elements_text(:words::json) asked (value);

-- name: block_words_remove
DELETE FROM block_word WHERE owner = :owner AND conversation = :conversation AND block = :id
    AND word = ANY (ARRAY (SELECT json_array_elements_text(:words::json)));

-- name: message_people
SELECT id, person, role FROM message WHERE owner = :owner AND id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint));

-- name: message_audiences
SELECT id, audience FROM message
WHERE owner = :owner AND audience <> 0 AND id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint));

-- name: messages_before
-- Of each of these messages the one before it in its chat and thread; 0: it is the first.
SELECT a.id, coalesce((
    SELECT max(b.id) FROM message b
    WHERE b.owner = :owner AND b.chat = a.chat AND b.thread = a.thread AND b.id < a.id), 0)
FROM message a WHERE a.owner = :owner AND a.id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint));

-- name: message_chats
SELECT id, chat FROM message WHERE owner = :owner AND id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint));

-- name: event_readers
UPDATE event SET before = (before::jsonb || jsonb_build_object('audience', :audience::bigint))::text
WHERE owner = :owner AND memory = :memory AND before IS NOT NULL AND (before::jsonb ->> 'space')::bigint = :space
    AND coalesce((before::jsonb ->> 'audience')::bigint, 0) = :former;

-- name: messages_remembered
-- Of these messages those from which something else than an episode is remembered, or may be again.
SELECT DISTINCT s.message FROM source s
WHERE s.space = :space AND s.message = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint))
    AND NOT EXISTS (SELECT 1 FROM memory k WHERE k.owner = s.owner AND k.id = s.memory AND k.kind = 'episode');

-- name: messages_of_episode
SELECT m.id, m.role, m.person, m.text, m.at, m.person, m.audience FROM message m
WHERE m.owner = :owner AND m.withheld = 0
    AND m.id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint)) ORDER BY m.id;

-- name: owners_naming
-- Those whose rows tell of a person by name, or did so.
WITH named AS MATERIALIZED (
    SELECT owner FROM question WHERE asker = :name
    UNION SELECT owner FROM event WHERE actor = :name
    UNION SELECT owner FROM event WHERE before IS NOT NULL AND before::jsonb ->> 'said_by' = :name
    UNION SELECT owner FROM memory WHERE said_by = :name
    UNION SELECT owner FROM task WHERE payload ~ ('"((related_)?user_id|target_user)": "?' || :number::text || '"?[,}]')
    UNION SELECT owner FROM task WHERE CASE WHEN kind = 'undo' THEN payload::json ->> 'actor' END = :name)
SELECT owner FROM (
    SELECT n.owner FROM named n JOIN owner o ON o.id = n.owner WHERE o.platform = :platform
    UNION SELECT owner FROM past_person WHERE person = :person) found
WHERE owner <> :person;

-- name: owners_with_past_in
-- Its number is looked for first: reading JSON takes longer.
SELECT DISTINCT e.owner FROM event e
WHERE e.at >= :since AND CASE WHEN position(:space::bigint::text IN e.before) > 0
    THEN (e.before::jsonb ->> 'space')::bigint END = :space;

-- name: event_places
-- Of which memories the trail says that they were seen where.
SELECT DISTINCT memory, (before::jsonb ->> 'space')::bigint FROM event
WHERE owner = :owner AND before IS NOT NULL;

-- name: erase_undos
-- Of other tasks, what people wrote may make the payload unreadable.
DELETE FROM task WHERE owner = :owner AND CASE WHEN kind = 'undo' THEN payload::json ->> 'actor' END = :name;

-- name: erase_excerpts_before
UPDATE event SET before = (before::jsonb - 'excerpt')::text
WHERE owner = :owner AND before::jsonb ? 'excerpt'
    AND memory IN (SELECT e.memory FROM event e WHERE e.owner = :owner AND e.actor = :name
        UNION SELECT past.memory FROM event e  -- what such a memory left as past
        JOIN event ended ON ended.owner = e.owner AND ended.memory = e.memory
        JOIN event past ON past.owner = e.owner AND past.change = ended.change AND past.reason IN ('ended', 'own word')
        WHERE e.owner = :owner AND e.actor = :name);

-- name: erase_gone_notes
DELETE FROM event WHERE owner = :owner AND memory IN (
    SELECT e.memory FROM event e WHERE e.owner = :owner AND e.before::jsonb ->> 'said_by' = :name
    AND e.before::jsonb ->> 'kind' = 'note' AND (e.before::jsonb ->> 'space')::bigint = :owner
    AND e.before::jsonb ->> 'people' IS NULL
) AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.owner = :owner AND m.id = event.memory);

-- name: event_lift_before
UPDATE event SET before = (before::jsonb || '{"withheld": 0}')::text
WHERE owner = :owner AND memory = :memory AND (before::jsonb ->> 'withheld')::bigint = :change;

-- name: events_said_before
SELECT DISTINCT memory FROM event WHERE owner = :owner AND before::jsonb ->> 'said_by' = :name;

-- name: erase_said_before
UPDATE event SET before = (before::jsonb || '{"said_by": "erased"}')::text
WHERE owner = :owner AND before::jsonb ->> 'said_by' = :name;

-- name: spaces_with_old_messages
WITH found AS MATERIALIZED (SELECT DISTINCT m.owner FROM message m WHERE m.at < :before AND {unkept})
SELECT f.owner FROM found f JOIN owner o ON o.id = f.owner WHERE o.kind <> 'person' ORDER BY f.owner;

-- name: message_keep
UPDATE message SET keep_until = greatest(coalesce(keep_until, 0), :keep_until) WHERE owner = :owner AND id = :id;

-- name: questions_due
WITH due AS MATERIALIZED (SELECT {question}, owner FROM question
    WHERE kind = 'save' AND reminded_at IS NULL AND expires_at > :now AND (asked_at + expires_at) / 2 <= :now)
SELECT {question}, owner FROM due
WHERE :platform::text IS NULL OR owner IN (SELECT id FROM owner WHERE platform = :platform) LIMIT :limit;

-- name: rate_take
INSERT INTO rate (owner, span, calls, ends_at) VALUES (:owner, :span, :calls, :ends_at)
ON CONFLICT (owner, span) DO UPDATE SET
    calls = CASE WHEN rate.ends_at <= :now THEN :calls ELSE rate.calls + :calls END,
    ends_at = CASE WHEN rate.ends_at <= :now THEN excluded.ends_at ELSE least(rate.ends_at, excluded.ends_at) END
RETURNING calls, ends_at;

-- name: rates_take
-- Sorted, so that no two such statements wait for each other.
INSERT INTO rate (owner, span, calls, ends_at)
SELECT owner, span, calls, ends_at
FROM json_to_recordset(:rows::json) AS taken (owner BIGINT, span TEXT COLLATE "C", calls BIGINT, ends_at BIGINT)
ORDER BY owner, span
ON CONFLICT (owner, span) DO UPDATE SET
    calls = CASE WHEN rate.ends_at <= :now THEN excluded.calls ELSE rate.calls + excluded.calls END,
    ends_at = CASE WHEN rate.ends_at <= :now THEN excluded.ends_at ELSE least(rate.ends_at, excluded.ends_at) END
RETURNING owner, span, calls, ends_at;

-- name: tasks_add
INSERT INTO task (owner, id, kind, priority, state, payload, chat, thread, lineage, person, attempts, run_at,
    leased_until, worker, created_at)
SELECT owner, id, kind, priority, 'waiting', payload, chat, thread, lineage, person, 0, run_at, 0, '', now
FROM json_to_recordset(:rows::json) AS new (owner BIGINT, id BIGINT, kind TEXT, priority BIGINT, payload TEXT,
    chat TEXT, thread TEXT, lineage BIGINT, person BIGINT, run_at BIGINT, now BIGINT);

-- name: hold_free
-- Nobody is waited for.
SELECT owner FROM revision
WHERE what = 'owner' AND owner = ANY (ARRAY (SELECT json_array_elements_text(:owners::json)::bigint))
FOR UPDATE SKIP LOCKED;

-- name: owners_named
SELECT o.kind, o.platform, o.name, o.id, o.form
FROM json_to_recordset(:names::json) AS asked (kind TEXT COLLATE "C", platform TEXT COLLATE "C", name TEXT COLLATE "C")
JOIN owner o ON o.platform = asked.platform AND o.kind = asked.kind AND o.name = asked.name;

-- name: owners_get
SELECT id, kind, platform, name FROM owner WHERE id = ANY (ARRAY (SELECT json_array_elements_text(:ids::json)::bigint));

-- name: next_ids
INSERT INTO sequence (name, value) VALUES (:name, :count)
ON CONFLICT (name) DO UPDATE SET value = sequence.value + :count RETURNING value - :count + 1, value;

-- name: task_put_off
UPDATE task SET state = :state, attempts = :attempts, error = :error, run_at = :run_at, leased_until = 0, worker = '',
    finished_at = CASE WHEN :state::text = 'failed' THEN :now::bigint END
WHERE owner = :owner AND id = :id AND state = 'waiting' AND worker = :worker;

-- name: tasks_retry
UPDATE task SET state = 'waiting', attempts = 0, run_at = :now, leased_until = 0, worker = '', finished_at = NULL
WHERE state = 'failed' AND (:id::bigint IS NULL OR id = :id) RETURNING id;

-- name: owners_of_tasks
-- What people wrote may not be storable as jsonb. In a string, the quotes of this pattern have backslashes.
WITH named AS MATERIALIZED (SELECT owner, person FROM task
    WHERE person = :person OR payload ~ ('"((related_)?user_id|target_user)": "?' || :number::text || '"?[,}]'))
SELECT DISTINCT n.owner FROM named n JOIN owner o ON o.id = n.owner
WHERE n.person = :person OR o.platform = :platform;

-- name: calls_about
SELECT owner, id, kind, priority, state, payload, attempts, run_at, created_at, error, result FROM task
WHERE owner = :owner AND kind = 'call'
    AND (person = :person OR payload ~ ('"((related_)?user_id|target_user)": "?' || :number::text || '"?[,}]'))
ORDER BY id;

-- name: erase_tasks
DELETE FROM task
WHERE owner = :owner AND created_at <= :until
    AND (person = :person OR payload ~ ('"((related_)?user_id|target_user)": "?' || :number::text || '"?[,}]')) RETURNING id;

-- name: chore_claim
INSERT INTO chore (name, next_at) VALUES (:name, :next)
ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at WHERE chore.next_at <= :now OR chore.next_at > :next
RETURNING name;

-- name: export_member
SELECT owner, person, name, nickname, kind, role, left_at, level FROM member
WHERE (owner, person) > (:owner, :person) ORDER BY owner, person LIMIT :limit;

-- name: sequence_raise
INSERT INTO sequence (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = greatest(sequence.value, excluded.value);

-- name: index_postings
-- There is no index beside the rows that could differ from them: these are the rows' own words.
SELECT id, 'o' || owner::text || 'x' || word FROM memory, regexp_split_to_table(words, ' ') AS word
WHERE archived = 0 AND owner = substr(:from, 2, length(:from) - 2)::bigint AND :to > :from;

-- name: activity_add_up
INSERT INTO activity (at, what, name, outcome, bound, number, total)
SELECT at - at % :span, what, name, outcome, bound, sum(number)::bigint, sum(total)::bigint FROM activity
WHERE at < :before AND at % :span <> 0 GROUP BY at - at % :span, what, name, outcome, bound
ON CONFLICT (at, what, name, outcome, bound) DO UPDATE SET
    number = activity.number + excluded.number, total = activity.total + excluded.total;

-- name: backlog
SELECT (SELECT count(*) FROM task WHERE state = 'waiting'), (SELECT min(created_at) FROM task WHERE state = 'waiting'),
    (SELECT count(*) FROM task WHERE state = 'failed'),
    (SELECT count(*) FROM question WHERE expires_at > :now
        AND (kind = 'consent' OR (kind = 'save' AND strpos(content, '"state": "open"') > 0))),
    (SELECT min(asked_at) FROM question WHERE expires_at > :now
        AND (kind = 'consent' OR (kind = 'save' AND strpos(content, '"state": "open"') > 0))),
    (SELECT count(*) FROM unembedded);

-- The list of owners is on one server of a cluster, where no other rows are: what is found on the others is looked up in it.

-- name: members_of_person
WITH found AS MATERIALIZED (SELECT owner FROM member WHERE person = :person)
SELECT f.owner FROM found f JOIN owner o ON o.id = f.owner
WHERE o.platform = :platform AND o.kind <> 'person' ORDER BY f.owner;

-- name: owners_spoken_of
WITH person AS MATERIALIZED (SELECT platform, name FROM owner WHERE id = :person),
found AS MATERIALIZED (SELECT DISTINCT m.owner FROM memory m
    WHERE m.said_by = (SELECT name FROM person) AND m.owner <> :person AND m.archived = 0)
SELECT f.owner FROM found f JOIN owner o ON o.id = f.owner JOIN person p ON p.platform = o.platform;

-- name: owners_made_from
SELECT DISTINCT owner FROM source WHERE space = :space AND message = :message ORDER BY owner;

-- name: owners_of_chat
WITH found AS MATERIALIZED (SELECT DISTINCT owner FROM memory WHERE space = :space AND chat = :chat)
SELECT f.owner FROM found f JOIN owner o ON o.id = f.owner WHERE o.platform = :platform ORDER BY f.owner;

-- name: owners_from_space
WITH found AS MATERIALIZED (SELECT DISTINCT owner FROM source WHERE space = :space)
SELECT f.owner FROM found f JOIN owner o ON o.id = f.owner WHERE o.platform = :platform ORDER BY f.owner;

-- name: owners_of_change
SELECT DISTINCT e.owner FROM revision r JOIN event e ON e.owner = r.owner AND e.change = :change
WHERE r.what = 'owner' ORDER BY e.owner;

-- name: owners_seen_in
WITH found AS MATERIALIZED (SELECT DISTINCT m.owner FROM revision r JOIN memory m ON m.owner = r.owner
    AND m.space = :space WHERE r.what = 'owner')
SELECT f.owner FROM found f JOIN owner o ON o.id = f.owner WHERE o.platform = :platform ORDER BY f.owner;

-- name: owners_asked_in
-- What is to be saved says where it was asked in its turn alone.
WITH found AS MATERIALIZED (SELECT owner, CASE WHEN kind = 'save' THEN turn END AS turn FROM question
    WHERE space = :space OR kind = 'save')
SELECT f.owner, f.turn FROM found f JOIN owner o ON o.id = f.owner WHERE o.platform = :platform ORDER BY f.owner;

-- name: platforms_with_readers
WITH found AS MATERIALIZED (SELECT owner FROM audience UNION SELECT owner FROM readership)
SELECT DISTINCT o.platform FROM found f JOIN owner o ON o.id = f.owner;

-- name: platforms_with_given
WITH found AS MATERIALIZED (SELECT DISTINCT owner FROM given)
SELECT DISTINCT o.platform FROM found f JOIN owner o ON o.id = f.owner;

-- name: spaces_of_several_chats
WITH several AS MATERIALIZED (
    SELECT owner FROM (
        SELECT owner, chat FROM message UNION SELECT space, chat FROM memory WHERE chat IS NOT NULL) seen
    GROUP BY owner HAVING count(*) > 1)
SELECT o.platform, count(*) FROM several s JOIN owner o ON o.id = s.owner
WHERE o.kind = 'space' GROUP BY o.platform ORDER BY o.platform;

-- name: events_by
-- What somebody who is no person did to what people of a platform are remembered by.
WITH found AS MATERIALIZED (SELECT owner, memory, number, at FROM event
    WHERE at > :after AND at <= :until AND actor = :actor AND memory > 0)
SELECT e.owner, e.memory, e.number, e.at FROM found e JOIN owner o ON o.id = e.owner
WHERE o.kind = 'person' AND o.platform = :platform ORDER BY e.at, e.memory, e.number;

-- name: chats_named
WITH found AS MATERIALIZED (SELECT owner FROM chat WHERE chat = :chat)
SELECT f.owner FROM found f JOIN owner o ON o.id = f.owner WHERE o.platform = :platform ORDER BY f.owner;

-- name: chats_chosen
WITH found AS MATERIALIZED (SELECT owner, chat, arm FROM chat WHERE arm IS NOT NULL)
SELECT o.platform, c.chat, c.arm, o.kind, o.name FROM found c JOIN owner o ON o.id = c.owner
ORDER BY o.platform, c.chat, c.owner;

-- For operators: over everybody's rows.

-- name: memory_find
SELECT owner FROM memory WHERE id = :id UNION SELECT owner FROM event WHERE memory = :id;

-- name: storage_size
SELECT pg_database_size(current_database());

-- name: people_names
SELECT person, name, nickname FROM member WHERE person = ANY (ARRAY (SELECT json_array_elements_text(:people::json)::bigint));

-- name: people_counts
SELECT owner, CAST(sum(live) AS BIGINT) FROM tally WHERE owner = ANY (ARRAY (SELECT json_array_elements_text(:people::json)::bigint)) GROUP BY owner;

-- name: memories_known
-- Those for a page first, by few columns: sorting all of them whole would take longer than to find them. Most rows lack
-- the word that the three forms are of, and are done with before their other words are asked for.
SELECT {memory} FROM memory WHERE (owner, id) IN (
    SELECT owner, id FROM memory
    WHERE (:space = 0 OR space = :space)
        AND (:kind = '' OR kind = :kind) AND (:type = '' OR type = :type)
        AND (:hidden <> 0 OR (archived = 0 AND withheld = 0))
        AND updated_at >= :since AND confidence BETWEEN :unsurest AND :surest
        AND (:form_a = '' OR strpos(' ' || words || ' ', :form_a) > 0
            OR (:form_b <> '' AND strpos(' ' || words || ' ', :form_b) > 0)
            OR (:form_c <> '' AND strpos(' ' || words || ' ', :form_c) > 0))
        AND ' ' || words || ' ' ~ ALL (ARRAY (
            SELECT ' (' || string_agg(regexp_replace(form.value, '([][\\.*+?{}()|^$])', '\\\1', 'g'), '|') || ')'
            FROM json_array_elements(:words::json) WITH ORDINALITY w (value, number), json_array_elements_text(w.value) form
            GROUP BY w.number))
        AND ({ranked} < :value OR ({ranked} = :value AND id < :before))
    ORDER BY {ranked} DESC, id DESC LIMIT :limit)
ORDER BY {ranked} DESC, id DESC;

-- name: answers_after_memories
-- Answers to people of whom, or of whose space, something was remembered before and may be told there.
WITH earliest AS MATERIALIZED (SELECT owner, space, min(created_at) AS at FROM memory WHERE archived = 0 GROUP BY 1, 2),
answered AS MATERIALIZED (
    SELECT m.owner, count(*) AS number FROM message m
    WHERE m.role = 'assistant' AND (
        EXISTS (SELECT 1 FROM earliest k WHERE k.owner = m.person AND k.space IN (0, m.owner) AND k.at < m.at)
        OR EXISTS (SELECT 1 FROM earliest k WHERE k.owner = m.owner AND k.at < m.at))
    GROUP BY m.owner)
SELECT o.platform, sum(a.number)::bigint FROM answered a JOIN owner o ON o.id = a.owner
GROUP BY o.platform ORDER BY o.platform;

-- name: events_expired
SELECT owner, memory, number FROM event WHERE expires_at IS NOT NULL AND expires_at <= :now LIMIT :limit;
