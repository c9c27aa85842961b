-- Who is to be erased is found without reading what is others': who was in what memories were, questions and calls.

-- Who was in a memory before a change, as long as the trail has its text.
CREATE TABLE past_person (
    owner INTEGER NOT NULL REFERENCES owner (id),
    person INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    PRIMARY KEY (owner, person, memory)
) STRICT, WITHOUT ROWID;

INSERT INTO past_person (owner, person, memory)
SELECT DISTINCT e.owner, p.value, e.memory
FROM event e, json_each(json_extract(CASE WHEN json_valid(e.before) THEN e.before END, '$.people')) p
WHERE e.before IS NOT NULL AND typeof(p.value) = 'integer';

CREATE INDEX past_person_anywhere ON past_person (person, owner);
CREATE INDEX past_person_of ON past_person (owner, memory);
CREATE INDEX question_asker ON question (asker, owner) WHERE asker IS NOT NULL;
CREATE INDEX mute_asker ON mute (asker, owner);
CREATE INDEX outcome_person ON outcome (person, owner);
CREATE INDEX task_person ON task (person, owner);
-- What a call says of people by their numbers, and who had what is undone. A payload that is no JSON names nobody.
CREATE INDEX task_user ON task (
    json_extract(CASE WHEN json_valid(payload) THEN payload END, '$.arguments.user_id') || '', owner
) WHERE kind = 'call';
CREATE INDEX task_related ON task (
    json_extract(CASE WHEN json_valid(payload) THEN payload END, '$.arguments.related_user_id') || '', owner
) WHERE kind = 'call';
CREATE INDEX task_target ON task (
    json_extract(CASE WHEN json_valid(payload) THEN payload END, '$.arguments.target_user') || '', owner
) WHERE kind = 'call';
CREATE INDEX task_undoer ON task (
    json_extract(CASE WHEN json_valid(payload) THEN payload END, '$.actor'), owner
) WHERE kind = 'undo';
