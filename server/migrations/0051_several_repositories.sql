-- A run may be about several repositories: what was measured in each is signed apart. Empty: the run is about one.
alter table attempt_evidence add column repository text not null default '';
alter table attempt_evidence drop constraint attempt_evidence_pkey;
alter table attempt_evidence add primary key (workspace_id, run_id, attempt, repository);

-- Which of its team's repositories a story is about; null: all of them.
alter table stories add column repositories text[] check (cardinality(repositories) between 1 and 20);
