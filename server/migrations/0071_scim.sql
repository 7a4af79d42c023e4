-- SCIM 2.0 (RFC 7643, 7644): an identity provider brings people into a workspace and takes them out of it.

-- What it authenticates with. Several, so that one can be replaced while the other is in use.
create table scim_tokens (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  name text not null,
  prefix text not null,
  digest bytea not null unique,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index scim_tokens_by_workspace on scim_tokens (workspace_id);

-- What the provider says of a person. Whether the user is active is whether that person is a member. A member of whom it
-- has said nothing has no row.
create table scim_users (
  workspace_id uuid not null references workspaces,
  person_id uuid not null references people,
  user_name text not null,
  external_id text,
  given_name text,
  family_name text,
  display_name text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, person_id)
);
create unique index scim_users_by_user_name on scim_users (workspace_id, lower(user_name));
create index scim_users_by_person on scim_users (person_id);

-- Groups of the provider, and which role each gives here; null: none.
create table scim_groups (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  display_name text not null,
  external_id text,
  role text check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (workspace_id, id)
);
create unique index scim_groups_by_display_name on scim_groups (workspace_id, lower(display_name));

create table scim_group_members (
  workspace_id uuid not null,
  group_id uuid not null,
  person_id uuid not null references people,
  primary key (workspace_id, group_id, person_id),
  foreign key (workspace_id, group_id) references scim_groups (workspace_id, id) on delete cascade
);
create index scim_group_members_by_person on scim_group_members (workspace_id, person_id);
