-- What was merged into a memory, found without reading all of its owner.

CREATE INDEX memory_part ON memory (owner, merged_into) WHERE merged_into IS NOT NULL;
