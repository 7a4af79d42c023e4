-- Teams and the policies they work under.

create table teams (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  name text not null check (name <> ''),
  description text,
  key_prefix text not null check (key_prefix ~ '^[A-Z][A-Z0-9]{0,9}$'),
  paused_at timestamptz,
  -- null: the team has no policy yet.
  policy_version integer,
  last_story_number integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz,
  unique (workspace_id, id),
  unique (workspace_id, slug),
  unique (workspace_id, key_prefix)
);

-- One row a version; a version is never changed.
create table policies (
  workspace_id uuid not null,
  team_id uuid not null,
  version integer not null check (version > 0),
  preset text not null check (preset in ('trial', 'supervised', 'balanced', 'autonomous')),
  custom boolean not null,
  executor text not null check (
    executor in ('claude_code', 'codex', 'gemini', 'opencode', 'copilot', 'command', 'scripted')
  ),
  max_concurrency integer not null check (max_concurrency > 0),
  budget_run_cents integer check (budget_run_cents >= 0),
  budget_day_cents integer check (budget_day_cents >= 0),
  budget_month_cents integer check (budget_month_cents >= 0),
  plan_approval text not null check (plan_approval in ('always', 'by_risk', 'never')),
  merge_policy text not null check (merge_policy in ('manual', 'ask', 'auto_within_limits', 'auto')),
  denied_paths text[] not null check ('.kanman/acceptance/**' = any (denied_paths)),
  acceptance_required boolean not null check (acceptance_required or preset = 'trial'),
  gate_failure_budget integer not null check (gate_failure_budget >= 0),
  -- Largest verified change, in added and deleted lines, that merges without being asked about; null: no limit of its own.
  auto_merge_max_lines integer check (auto_merge_max_lines >= 0),
  created_at timestamptz not null,
  primary key (workspace_id, team_id, version),
  foreign key (workspace_id, team_id) references teams (workspace_id, id)
);

alter table teams add foreign key (workspace_id, id, policy_version)
  references policies (workspace_id, team_id, version) deferrable initially deferred;
