-- Parked calls by whom they are told, as those that are done.

CREATE INDEX task_failed ON task (owner, person, chat) WHERE state = 'failed';
