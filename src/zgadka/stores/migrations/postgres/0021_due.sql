-- What is due, found without reading what is not.

CREATE INDEX observation_noted ON observation (noted_at);
CREATE INDEX unembedded_newest ON unembedded (what, id);
CREATE INDEX event_expires ON event (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX owner_form ON owner (form);
CREATE INDEX message_age ON message (at);
CREATE INDEX task_saga ON task (kind) WHERE state <> 'done' AND kind <> 'call';
CREATE INDEX task_ended ON task (finished_at) WHERE state <> 'waiting';
CREATE INDEX task_failed ON task (owner, person, chat) WHERE state = 'failed';
