-- What those who are invisible to memory said of others is told nobody from now on: their level is followed once more.

INSERT INTO task (
    owner, id, kind, priority, state, payload, chat, thread, lineage, person, attempts, run_at, leased_until, worker,
    created_at)
SELECT owner, nextval('id_task'), 'hide', 0, 'waiting', '{"lowers": false}', '', '', 0, 0, 0, 0, 0, '', 0
FROM privacy WHERE level = 2;

-- Who is so in some space alone.
INSERT INTO task (
    owner, id, kind, priority, state, payload, chat, thread, lineage, person, attempts, run_at, leased_until, worker,
    created_at)
SELECT person, nextval('id_task'), 'hide', 0, 'waiting', '{"lowers": false}', '', '', 0, 0, 0, 0, 0, '', 0
FROM (SELECT DISTINCT person FROM member WHERE level = 2) found;
