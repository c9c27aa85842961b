-- Where a person's memories are seen, which facts they had forgotten, and what is left of tasks: found without reading
-- the rest.

CREATE INDEX memory_seen ON memory (owner, lineage, space) WHERE archived = 0 AND withheld = 0;
CREATE INDEX memory_forgotten ON memory (owner) WHERE kind = 'fact' AND archived <> 0 AND withheld = 0;
CREATE INDEX task_saga ON task (kind) WHERE state <> 'done' AND kind <> 'call';
CREATE INDEX task_ended ON task (finished_at) WHERE state <> 'waiting';
