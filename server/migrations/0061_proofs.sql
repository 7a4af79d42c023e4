-- When a person last proved, within a session, that it is they. Null: when the session began.
alter table sessions add column proven_at timestamptz;
