-- Maintenance: a look at a team's repository that belongs to no story, and what it may cost.

alter table policies
  add column maintenance_schedule text not null default 'off'
    check (maintenance_schedule in ('off', 'daily', 'weekly', 'monthly')),
  add column maintenance_survey_cents integer not null default 100 check (maintenance_survey_cents > 0),
  add column maintenance_month_cents integer not null default 1000 check (maintenance_month_cents > 0);

-- A survey is a run without a story: orders, leases, fences, log and bills are those of every run.
alter table runs alter column story_id drop not null;
create unique index runs_open_survey on runs (workspace_id, team_id) where story_id is null and phase = 'working';
alter table work_orders drop constraint work_orders_job_check,
  add constraint work_orders_job_check check (job in ('stage', 'main_check', 'adopt', 'survey'));

-- What of a survey no run has.
create table surveys (
  workspace_id uuid not null,
  run_id uuid primary key,
  team_id uuid not null,
  -- The moment of the schedule that it was due at; null: a person started it.
  due_at timestamptz,
  -- By name; null: the schedule did.
  started_by text,
  -- What was looked at; null until it is known.
  commit text,
  -- What was raised as decisions, and what was known already or could not be used.
  proposals integer not null default 0,
  left_out integer not null default 0,
  -- What the agent changed although it was only to look.
  touched text[] not null default '{}',
  unique (team_id, due_at),
  foreign key (workspace_id, run_id) references runs (workspace_id, id),
  foreign key (workspace_id, team_id) references teams (workspace_id, id),
  check (due_at is null or started_by is null)
);
create index surveys_by_team on surveys (workspace_id, team_id, run_id desc);

-- What a bill was for, as whoever sent it says.
alter table usage_ledger
  -- The runner's gateway counted it, or it is the agent's own number; null: it was not said.
  add column source text check (source in ('gateway', 'agent')),
  add column provider text,
  add column model text,
  -- Tokens; null: they were not said. What was read from and written to a cache is part of the input.
  add column input_tokens bigint,
  add column cache_read_tokens bigint,
  add column cache_write_tokens bigint,
  add column output_tokens bigint,
  -- Which table the price is from; null: no table was used, or none has the model.
  add column price_table text;
