-- Workspaces, the people in them, and the tokens people make.

create table instance (
  only_row boolean primary key default true check (only_row),
  -- Refuses a node that was started with another SECRET_KEY.
  secret_fingerprint text not null,
  created_at timestamptz not null default now()
);

create table workspaces (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  name text not null check (name <> ''),
  -- Keys the permutation that turns counters into run-, dec- and inc- keys.
  key_secret bytea not null,
  created_at timestamptz not null,
  deleted_at timestamptz
);

create table key_counters (
  workspace_id uuid not null references workspaces,
  kind text not null,
  last integer not null,
  primary key (workspace_id, kind)
);

create table people (
  id uuid primary key,
  email text not null unique check (email = lower(email)),
  name text not null check (name <> ''),
  password_hash text,
  created_at timestamptz not null
);

create table memberships (
  workspace_id uuid not null references workspaces,
  person_id uuid not null references people,
  role text not null check (role in ('owner', 'admin', 'member')),
  joined_at timestamptz not null,
  primary key (workspace_id, person_id)
);

create table api_tokens (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  -- Not a reference to memberships: a token outlives its creator's membership, as a dead row.
  person_id uuid not null references people,
  name text not null check (name <> ''),
  prefix text not null check (length(prefix) = 11),
  -- SHA-256; 155 random bits need neither a salt nor a slow hash.
  digest bytea not null unique,
  permissions text[] not null check (
    cardinality(permissions) > 0 and permissions <@ array['read', 'write', 'delete', 'admin']
  ),
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at <= created_at + interval '366 days'),
  revoked_at timestamptz
);
create index api_tokens_by_person on api_tokens (workspace_id, person_id);

-- Apart from the tokens, so that noting a use never touches the row that decides.
create table api_token_uses (
  token_id uuid primary key references api_tokens,
  last_used_at timestamptz not null
);
