-- What lets a run go on by itself: where it stands, what has happened, what is still to be done outside.

alter table runs
  -- Where the run stands; domain/runs/machine.ts says what leads from one place to another.
  add column place text not null default 'queued' check (place in (
    'queued', 'working', 'waiting', 'merging', 'watching', 'reverting', 'succeeded', 'failed', 'timed_out', 'stopped'
  )),
  -- When the engine must look again: a queued run for a slot, a working one for its lease. A run that waits for a
  -- person, or has ended, needs no one to look.
  add column wake_at timestamptz,
  -- Counts the events.
  add column version integer not null default 0,
  -- Number of the newest work order. What comes back under an older number is outdated.
  add column fence integer not null default 0,
  add column policy_version integer,
  -- What the machine remembers between two events: the plan, guidance, granted exceptions, failed gates.
  add column memory jsonb not null default '{}',
  -- Why the run does not move just now, as a person would be told.
  add column reason text,
  add column stuck_since timestamptz,
  -- When the newest work order was given out: an order has a longest time, however lively it is.
  add column ordered_at timestamptz;

update runs r set
  place = case a.status when 'running' then 'queued' else a.status end,
  wake_at = case when a.status in ('queued', 'running') then now() end,
  policy_version = t.policy_version
from attempts a, teams t
where a.run_id = r.id and a.attempt = r.attempts and t.id = r.team_id;
update attempts a set status = 'queued' from runs r
where r.id = a.run_id and r.attempts = a.attempt and r.place = 'queued';

alter table runs
  alter column place drop default,
  add check ((wake_at is not null) = (place in ('queued', 'working', 'merging', 'watching', 'reverting')));

create index runs_due on runs (wake_at) where wake_at is not null;
create index runs_queued on runs (workspace_id, team_id, id) where place = 'queued';
create index runs_working on runs (workspace_id, team_id) where place = 'working';
create index runs_stuck on runs (stuck_since) where stuck_since is not null;
-- A story is worked on by one run at a time.
create unique index runs_open_by_story on runs (workspace_id, story_id)
  where place not in ('succeeded', 'failed', 'timed_out', 'stopped');

-- Millionths of a euro: a call to a model costs less than a cent. cost_cents is this, rounded up.
alter table attempts add column cost_micros bigint not null default 0 check (cost_micros >= 0);
update attempts set cost_micros = cost_cents * 10000::bigint;

-- Everything that happened to a run, in order. Appended to, never rewritten.
create table run_events (
  workspace_id uuid not null,
  run_id uuid not null,
  seq integer not null check (seq > 0),
  at timestamptz not null,
  type text not null,
  data jsonb not null,
  -- Which report of which work order it came from; a report that arrives twice is one event.
  fence integer,
  report integer,
  primary key (run_id, seq),
  unique (run_id, fence, report),
  foreign key (workspace_id, run_id) references runs (workspace_id, id)
);

-- What is to be done outside the database, written in the transaction that wants it. Done at least once, by whoever
-- finds it; the key makes doing it twice harmless.
create table effects (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  run_id uuid,
  kind text not null,
  key text not null,
  data jsonb not null,
  attempts integer not null default 0,
  last_error text,
  -- null once it is done or no longer wanted.
  due_at timestamptz,
  done_at timestamptz,
  created_at timestamptz not null,
  unique (workspace_id, key),
  foreign key (workspace_id, run_id) references runs (workspace_id, id)
);
create index effects_due on effects (due_at) where due_at is not null;
create index effects_by_run on effects (run_id) where due_at is not null;

-- What was spent, as it was billed. Appended to, never rewritten.
create table usage_ledger (
  workspace_id uuid not null,
  team_id uuid not null,
  run_id uuid not null,
  attempt integer not null,
  fence integer not null,
  report integer not null,
  at timestamptz not null,
  amount numeric not null check (amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Euro for one unit of the currency, at that moment.
  euro_rate numeric not null check (euro_rate > 0),
  euro_micros bigint not null check (euro_micros >= 0),
  primary key (run_id, fence, report),
  foreign key (workspace_id, run_id, attempt) references attempts (workspace_id, run_id, attempt)
);
create index usage_by_team on usage_ledger (workspace_id, team_id, at) include (euro_micros);

-- What was proposed to a team. A proposal that was made once is not made again, whatever became of it.
create table proposals (
  id uuid primary key,
  workspace_id uuid not null,
  team_id uuid not null,
  kind text not null check (kind in ('maintenance_proposal', 'strategy_proposal', 'main_red_incident')),
  -- Tells one proposal from another: chosen by whoever proposes.
  fingerprint text not null,
  title text not null check (title <> ''),
  body text not null,
  -- The story that would be filed, where the proposal is that far: {description, acceptanceCriteria, demonstrate, …}
  story jsonb,
  status text not null check (status in ('open', 'accepted', 'declined', 'lapsed')),
  created_at timestamptz not null,
  decided_at timestamptz,
  unique (workspace_id, id),
  unique (workspace_id, team_id, kind, fingerprint),
  foreign key (workspace_id, team_id) references teams (workspace_id, id)
);

alter table decisions
  add column proposal_id uuid,
  -- What the options act on, beyond the run: the paths an exception is about, the question that was asked.
  add column facts jsonb not null default '{}',
  add foreign key (workspace_id, proposal_id) references proposals (workspace_id, id);
create index decisions_expiring on decisions (expires_at) where status = 'pending';

alter table teams
  -- While main is red, nothing is merged.
  add column main_red_since timestamptz;

alter table stories
  -- What the person said who sent it back to Backlog.
  add column returned_note text;
-- In the order in which Ready stories are taken, so that the next one is found without looking at all of them.
create index stories_in_column on stories (workspace_id, team_id, column_id, (class_of_service <> 'expedite'), created_at, id)
  where not draft;

-- Answers to requests that carried an Idempotency-Key, for as long as a client may ask again.
create table idempotency_keys (
  workspace_id uuid not null references workspaces,
  person_id uuid not null references people,
  key text not null,
  -- What was asked: the same key with another question is a mistake.
  request bytea not null,
  -- null while the first request is being answered.
  answer text,
  created_at timestamptz not null,
  primary key (workspace_id, person_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
