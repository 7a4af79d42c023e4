-- Tokens that may manage the configuration over /manage/v1. Not one of their permissions: those are the REST API's, and
-- `admin` is all of them.
alter table api_tokens add column manages boolean not null default false;

-- What a file manages, by the name it has there. Unlocked: the app may change it until the file is applied again.
create table managed_resources (
  workspace_id uuid not null references workspaces,
  kind text not null check (kind in ('teams', 'policies', 'members', 'connections', 'repositories', 'places',
    'services', 'sources', 'webhooks')),
  name text not null check (name <> ''),
  resource_id uuid not null,
  managed_at timestamptz not null,
  unlocked_at timestamptz,
  primary key (workspace_id, kind, name),
  unique (workspace_id, kind, resource_id)
);
