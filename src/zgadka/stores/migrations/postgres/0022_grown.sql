-- Where a person's memories are seen, and which facts they had forgotten: found without reading the rest.

CREATE INDEX memory_seen ON memory (owner, lineage, space) WHERE archived = 0 AND withheld = 0;
CREATE INDEX memory_forgotten ON memory (owner) WHERE kind = 'fact' AND archived <> 0 AND withheld = 0;
