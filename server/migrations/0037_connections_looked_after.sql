-- GitHub Apps that are being created from here, how webhooks over there fare, how fast we write, and pull requests that
-- people merge or close over there.

-- An app between "Create GitHub App" and its installation. It becomes a connection with the same id, and is gone then.
create table github_apps (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  -- Who began: nobody else can bring its code back.
  person_id uuid not null references people,
  name text not null check (name <> ''),
  base_url text not null check (base_url ~ '^https?://' and base_url !~ '/$'),
  -- Null: an app of the person who creates it.
  organization text check (organization <> ''),
  -- The page that the browser comes back to.
  return_to text not null,
  -- Encrypted, as the connection will have it.
  hook_token bytea not null,
  -- When its state was used; it is used once.
  used_at timestamptz,
  -- From here on it exists over there. Encrypted.
  credentials bytea,
  webhook_secret bytea,
  slug text,
  install_url text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  check (num_nonnulls(credentials, webhook_secret, slug, install_url) in (0, 4)),
  check (credentials is null or used_at is not null)
);
create index github_apps_by_workspace on github_apps (workspace_id, id desc);

alter table connections
  -- When the webhooks over there were last looked at, and what was found.
  add column hooks_looked_at timestamptz,
  add column hooks_state text check (hooks_state in ('working', 'failing', 'off', 'none', 'unknown')),
  add column hooks_note text;

-- When we wrote, over the last hour, and until when a write is under way: shared by all nodes.
create table connection_writes (
  connection_id uuid primary key,
  workspace_id uuid not null,
  recent timestamptz[] not null default '{}',
  busy_until timestamptz,
  foreign key (workspace_id, connection_id) references connections (workspace_id, id)
);

-- When its host was last asked what became of the pull request.
alter table runs add column pull_request_looked_at timestamptz;
create index runs_with_pull_request on runs (pull_request_looked_at nulls first)
  where pull_request_number is not null and phase in ('queued', 'working', 'waiting', 'opening', 'succeeded')
    and memory ->> 'merged' is null;
