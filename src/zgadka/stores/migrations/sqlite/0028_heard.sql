-- What those who are invisible to memory said of others is told nobody from now on: their level is followed once more.

INSERT INTO task (
    owner, id, kind, priority, state, payload, chat, thread, lineage, person, attempts, run_at, leased_until, worker,
    created_at)
SELECT person, coalesce((SELECT value FROM sequence WHERE name = 'task'), 0) + row_number() OVER (ORDER BY person),
    'hide', 0, 'waiting', '{"lowers": false}', '', '', 0, 0, 0, 0, 0, '', 0
FROM (SELECT owner AS person FROM privacy WHERE level = 2 UNION SELECT person FROM member WHERE level = 2);

INSERT INTO sequence (name, value) SELECT 'task', max(id) FROM task WHERE true HAVING count(*) > 0
ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value);
