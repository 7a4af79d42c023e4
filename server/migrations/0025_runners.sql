-- Runners: who does the work, on the customer's machines. They ask for orders; nobody calls them.

create sequence runner_sessions;

create table runners (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  -- Kept on the runner's disk: the same instance is the same runner, however often it starts.
  instance uuid not null,
  name text not null check (name <> ''),
  version text not null,
  os text not null,
  arch text not null,
  slots integer not null check (slots > 0),
  labels text[] not null,
  features text[] not null,
  executors jsonb not null,
  isolation jsonb not null,
  evidence_key text not null,
  -- What it signed in with: revoked, the runner is offline.
  token_id uuid not null references api_tokens,
  -- The number under which it speaks now; of all sessions of the installation, no two have the same.
  session bigint not null unique,
  -- The start that the session belongs to.
  boot uuid not null,
  state text not null check (state in ('active', 'paused', 'draining', 'removed')),
  -- What it was told last, and is to be told otherwise when that is over.
  told text check (told in ('pause', 'drain')),
  free integer not null,
  drains boolean not null default false,
  disk_free bigint,
  last_seen_at timestamptz not null,
  -- When it said goodbye; null: it did not.
  left_at timestamptz,
  made_at timestamptz not null,
  unique (workspace_id, id),
  unique (workspace_id, instance)
);

-- An order of a team with a repository waits for a runner that asks for it.
alter table work_orders
  add column job text not null default 'stage' check (job in ('stage', 'main_check')),
  -- What it takes to do it.
  add column executor text,
  add column isolation text check (isolation in ('none', 'process', 'box')),
  -- Until then it waits to be taken; null: it is handed to whoever works in the server's own process.
  add column offered_until timestamptz,
  add column runner_id uuid,
  add column session bigint,
  -- Under which it was asked for: asked again, it is the same order.
  add column ask uuid unique,
  add foreign key (workspace_id, runner_id) references runners (workspace_id, id),
  add check (offered_until is null or num_nonnulls(executor, isolation) = 2);
create index work_orders_to_take on work_orders (workspace_id, offered_at) where state = 'offered';
create index work_orders_of_runner on work_orders (workspace_id, runner_id) where state = 'taken';

-- When somebody last looked after what should be moving. After a time without anybody, orders are given a while before
-- they count as lost: whoever works on them could reach nobody.
create table sweeps (
  only_row boolean primary key default true check (only_row),
  swept_at timestamptz not null,
  spares_until timestamptz not null
);
insert into sweeps (swept_at, spares_until) values ('-infinity', '-infinity');

-- What runners bring: bundles of commits, acceptance specs, diffs, evidence. Named by what is in them.
create table kept_files (
  workspace_id uuid not null references workspaces,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes bytea not null,
  size integer not null,
  made_at timestamptz not null,
  primary key (workspace_id, sha256)
);

create table team_repositories (
  workspace_id uuid not null,
  team_id uuid not null,
  name text not null,
  host text not null,
  address text not null,
  branch text not null,
  primary key (workspace_id, team_id, name),
  foreign key (workspace_id, team_id) references teams (workspace_id, id)
);

-- How well an agent must be kept in. Trial asks for nothing; the others ask for everything that can be measured.
alter table policies add column isolation text check (isolation in ('none', 'process', 'box'));
update policies set isolation = case preset when 'trial' then 'none' else 'box' end;
alter table policies alter column isolation set not null;

alter table policies drop constraint policies_executor_check, add constraint policies_executor_check check (
  executor in ('claude_code', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'pi', 'acp', 'command', 'scripted')
);
alter table attempts drop constraint attempts_executor_check, add constraint attempts_executor_check check (
  executor in ('claude_code', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'pi', 'acp', 'command', 'scripted')
);
