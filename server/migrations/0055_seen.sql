-- What an operator is shown of each node: which code it is, on which machine, and how far its clock is from the
-- database's. A node of the release before says nothing of it.
alter table nodes
  add column version text,
  add column migration integer,
  add column host text,
  add column skew_ms integer;

-- Beside the sentence, which kind of reason it is that a queued run waits for: a metric can count kinds, not sentences.
alter table runs add column waits_for text;
