-- Runs and their attempts. A run's status is the status of its latest attempt, so it is kept there alone.

create table runs (
  id uuid primary key,
  workspace_id uuid not null,
  team_id uuid not null,
  story_id uuid not null,
  key text not null check (key ~ '^run-[a-z0-9]{4}$'),
  attempts integer not null check (attempts > 0),
  budget_cents integer not null check (budget_cents >= 0),
  pull_request_url text,
  pull_request_number integer,
  evidence jsonb,
  created_at timestamptz not null,
  unique (workspace_id, id),
  unique (workspace_id, key),
  foreign key (workspace_id, team_id) references teams (workspace_id, id),
  foreign key (workspace_id, story_id) references stories (workspace_id, id),
  check (num_nonnulls(pull_request_url, pull_request_number) in (0, 2))
);
create index runs_by_time on runs (workspace_id, id desc);
create index runs_by_team on runs (workspace_id, team_id, id desc);
create index runs_by_story on runs (workspace_id, story_id, id desc);

create table attempts (
  workspace_id uuid not null,
  run_id uuid not null,
  attempt integer not null check (attempt > 0),
  status text not null check (
    status in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'timed_out', 'stopped')
  ),
  stage text not null check (stage in ('planning', 'implementing', 'verifying', 'handing_off')),
  executor text not null check (
    executor in ('claude_code', 'codex', 'gemini', 'opencode', 'copilot', 'command', 'scripted')
  ),
  cost_cents integer not null default 0 check (cost_cents >= 0),
  failure_class text check (
    failure_class in ('transient', 'persistent', 'policy', 'budget', 'gate', 'dependency')
  ),
  error text,
  verification jsonb,
  started_at timestamptz,
  completed_at timestamptz,
  primary key (workspace_id, run_id, attempt),
  foreign key (workspace_id, run_id) references runs (workspace_id, id)
);

alter table runs add foreign key (workspace_id, id, attempts)
  references attempts (workspace_id, run_id, attempt) deferrable initially deferred;
