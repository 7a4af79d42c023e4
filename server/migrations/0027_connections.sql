-- Accounts of a workspace at outside tools, what they send us, and what of them a team uses.

create table connections (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  kind text not null check (kind in ('github', 'gitlab', 'jira', 'linear', 'slack')),
  name text not null check (name <> ''),
  base_url text not null check (base_url ~ '^https?://' and base_url !~ '/$'),
  -- How we sign in there.
  method text not null check (method in ('token', 'app', 'basic', 'bot')),
  -- As whom we act there; null until the first test that succeeded.
  account text,
  -- Encrypted; erased when it is disconnected.
  credentials bytea,
  -- Part of its webhook address: looked up by its hash, shown again to owners and admins from the encrypted one.
  hook_token_hash bytea not null unique,
  hook_token bytea,
  -- Encrypted. The former one is accepted until then.
  webhook_secret bytea,
  former_webhook_secret bytea,
  former_secret_until timestamptz,

  -- How it fares.
  last_success_at timestamptz,
  last_refusal_at timestamptz,
  last_refusal text,
  -- Permissions that the last test missed, as sentences.
  missing text[] not null default '{}',
  limit_left integer,
  limit_of integer,
  limit_resets_at timestamptz,

  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  unique (workspace_id, id),
  check ((former_webhook_secret is null) = (former_secret_until is null)),
  check ((deleted_at is null) = (num_nonnulls(credentials, hook_token, webhook_secret) = 3)),
  check (deleted_at is null or num_nonnulls(credentials, hook_token, webhook_secret, former_webhook_secret) = 0)
);
create index connections_by_workspace on connections (workspace_id, id desc) where deleted_at is null;

-- What hooks brought with a right proof. Written before the sender gets its answer, understood after.
create table hook_deliveries (
  id uuid primary key,
  workspace_id uuid not null,
  connection_id uuid not null,
  -- The sender's own id of it: a delivery that is repeated has the same.
  sender_id text not null,
  event text not null,
  body bytea not null,
  received_at timestamptz not null,
  -- When it is looked at next; null: it is understood.
  due_at timestamptz,
  attempts integer not null default 0,
  understood_at timestamptz,
  -- What it meant, or why it means nothing to us, in words.
  understood text,
  unique (connection_id, sender_id),
  foreign key (workspace_id, connection_id) references connections (workspace_id, id)
);
create index hook_deliveries_by_time on hook_deliveries (connection_id, id desc);
create index hook_deliveries_due on hook_deliveries (due_at) where due_at is not null;
create index hook_deliveries_by_age on hook_deliveries (received_at);

-- Where a team's stories come from. A team without a row uses the built-in tracker.
create table team_trackers (
  workspace_id uuid not null,
  team_id uuid not null,
  connection_id uuid not null,
  -- The tool's own id, which survives renaming.
  project_id text not null,
  project_key text not null,
  project_name text not null,
  project_url text,
  -- Which status over there is which column here: {"<status>": "<column role>"}.
  mapping jsonb not null default '{}',
  -- Only issues with this label; null: all.
  label text check (label <> ''),
  bound_at timestamptz not null,
  primary key (workspace_id, team_id),
  foreign key (workspace_id, team_id) references teams (workspace_id, id),
  foreign key (workspace_id, connection_id) references connections (workspace_id, id)
);
-- An issue is the story of one team. Two teams share a project only by different labels.
create unique index team_trackers_by_project on team_trackers (workspace_id, connection_id, project_id, coalesce(label, ''));

alter table team_repositories
  -- Null: a folder on the server.
  add column connection_id uuid,
  -- The host's own id, which survives renaming.
  add column remote_id text,
  add column url text,
  add foreign key (workspace_id, connection_id) references connections (workspace_id, id),
  add check ((connection_id is null) = (host = 'local')),
  add check ((connection_id is null) = (remote_id is null));

-- Since when nobody wants to see what a new workspace still has to do.
alter table workspaces add column checklist_put_away_at timestamptz;
