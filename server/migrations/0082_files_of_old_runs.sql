-- online
-- Files of runs that ended go with age. What was signed about a run outlives the rest of its files.
alter table run_files add column if not exists stays boolean not null default false;
-- When files of a run were removed because of their age; null: none were.
alter table runs add column if not exists files_removed_at timestamptz;

-- What can still go, by age.
create index concurrently if not exists run_files_to_go on run_files (workspace_id, run_id) where not stays;

-- Who refers to a row that is about to go: without these, every row would be looked for in a whole table.
create index concurrently if not exists run_files_by_file on run_files (workspace_id, sha256);
create index concurrently if not exists attempt_evidence_by_envelope on attempt_evidence (workspace_id, envelope);
create index concurrently if not exists effects_by_refusal on effects (parked_by) where parked_by is not null;
