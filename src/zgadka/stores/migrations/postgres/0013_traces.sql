-- Where somebody is told of, found without reading everybody's rows: for their list and export, and to erase them.

CREATE INDEX subject_person ON subject (person, owner);
CREATE INDEX member_person ON member (person, owner);
CREATE INDEX message_writer ON message (person, owner);
CREATE INDEX memory_said_by ON memory (said_by, owner);
CREATE INDEX event_actor ON event (actor, owner);
-- New memories have no state before.
CREATE INDEX event_said_by ON event ((before::jsonb ->> 'said_by'), owner) WHERE before IS NOT NULL;
CREATE INDEX event_people ON event (owner, memory) WHERE before::jsonb ->> 'people' IS NOT NULL;
