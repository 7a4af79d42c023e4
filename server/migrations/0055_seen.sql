-- online
-- formerly: 01e19fe24b124a29b7409cc92213ffcf28c8e9cc7ede529d3c807255727a19a8

-- What an operator is shown of each node: which code it is, on which machine, and how far its clock is from the
-- database's. A node of the release before says nothing of it.
alter table nodes
  add column if not exists version text,
  add column if not exists migration integer,
  add column if not exists host text,
  add column if not exists skew_ms integer;

-- Beside the sentence, which kind of reason it is that a queued run waits for: a metric can count kinds, not sentences.
alter table runs add column if not exists waits_for text;
