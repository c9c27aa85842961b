-- Messages that nobody is told any more, since their person had what they say forgotten.

ALTER TABLE message ADD COLUMN withheld BIGINT NOT NULL DEFAULT 0;   -- 0, or the change that hid it: its undo lifts it

CREATE INDEX message_withheld ON message (owner, withheld) WHERE withheld <> 0;
CREATE INDEX message_person ON message (owner, person, id);
