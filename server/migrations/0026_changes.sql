-- A run's change travels: it begins at a commit, is kept as files, becomes a pull request and is merged.

alter table runs drop constraint runs_place_check, add constraint runs_phase_check check (phase in (
  'queued', 'working', 'waiting', 'opening', 'merging', 'watching', 'reverting', 'succeeded', 'failed', 'timed_out',
  'stopped'
));
alter table runs drop constraint runs_look_again, add constraint runs_look_again
  check ((wake_at is not null) = (phase in ('queued', 'opening', 'merging', 'watching', 'reverting')));

-- Which agent an attempt had, with its version, and what was measured to hold it.
alter table attempts add column isolation jsonb, add column agent jsonb;

-- Pull requests of repositories whose host has none of its own.
create table pull_requests (
  workspace_id uuid not null references workspaces,
  -- By the name that people know it under; numbers count within it.
  repository text not null,
  number integer not null check (number > 0),
  title text not null,
  body text not null,
  -- The branch it is to be merged into, and the one it comes from with the commit that was verified.
  base text not null,
  branch text not null,
  head text not null,
  state text not null check (state in ('open', 'merged', 'closed')),
  merge_commit text,
  -- Whose change it is; null: it takes back a merge of no run.
  run_id uuid,
  opened_at timestamptz not null,
  ended_at timestamptz,
  primary key (workspace_id, repository, number),
  foreign key (workspace_id, run_id) references runs (workspace_id, id),
  check ((state = 'merged') = (merge_commit is not null)),
  check ((state = 'open') = (ended_at is null))
);
create unique index pull_requests_open on pull_requests (workspace_id, repository, branch) where state = 'open';
create index pull_requests_of_run on pull_requests (workspace_id, run_id) where run_id is not null;

-- The signed evidence of an attempt: which file it is, and whose key it was checked with.
create table attempt_evidence (
  workspace_id uuid not null,
  run_id uuid not null,
  attempt integer not null,
  envelope text not null check (envelope ~ '^[0-9a-f]{64}$'),
  runner text not null,
  -- Ed25519, base64 of the raw 32 bytes.
  public_key text not null,
  recorded_at timestamptz not null,
  primary key (workspace_id, run_id, attempt),
  foreign key (workspace_id, run_id, attempt) references attempts (workspace_id, run_id, attempt),
  foreign key (workspace_id, envelope) references kept_files (workspace_id, sha256)
);
