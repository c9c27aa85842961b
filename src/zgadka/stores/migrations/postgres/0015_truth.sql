-- When it was said, and what came before it.

ALTER TABLE memory ADD COLUMN said_at BIGINT;      -- of the message; NULL: not known, when it was kept at the latest
ALTER TABLE memory ADD COLUMN follows BIGINT;      -- the id of the past value whose place it took
ALTER TABLE memory ADD COLUMN merged_into BIGINT;  -- the id of the fact that stands for it since

ALTER TABLE owner ADD COLUMN form BIGINT NOT NULL DEFAULT 0;  -- by which version words, keys and forms of their memories were made
ALTER TABLE memory ADD COLUMN closed BIGINT;      -- 1: only a change ended it: it held until valid_to at the latest

CREATE INDEX memory_key ON memory (owner, key) WHERE key IS NOT NULL;
