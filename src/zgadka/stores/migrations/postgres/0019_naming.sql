-- Who is to be erased is found without reading what is others': who was in what memories were, questions and calls.

-- Who was in a memory before a change, as long as the trail has its text.
CREATE TABLE past_person (
    owner BIGINT NOT NULL REFERENCES owner (id),
    person BIGINT NOT NULL,
    memory BIGINT NOT NULL,
    PRIMARY KEY (owner, person, memory)
) {by_owner};

INSERT INTO past_person (owner, person, memory)
SELECT DISTINCT e.owner, p.id::bigint, e.memory
FROM event e CROSS JOIN LATERAL jsonb_array_elements_text((e.before::jsonb ->> 'people')::jsonb) p (id)
WHERE e.before::jsonb ->> 'people' IS NOT NULL;

CREATE INDEX past_person_anywhere ON past_person (person, owner);
CREATE INDEX past_person_of ON past_person (owner, memory);
CREATE INDEX question_asker ON question (asker, owner) WHERE asker IS NOT NULL;
CREATE INDEX mute_asker ON mute (asker, owner);
CREATE INDEX outcome_person ON outcome (person, owner);
CREATE INDEX task_person ON task (person, owner);
