-- What outside tools refuse, from the first time until they take it again: one ledger for all of them. The scope says
-- what of a connection is refused: '' all of it; a place there, such as 'channel/C1', 'project/7', 'repository/9' or
-- 'socket'; or 'effect/…', a single thing that was to be done.
create table tool_refusals (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  connection_id uuid not null references connections,
  scope text not null,
  reason text not null check (reason in ('unauthorized', 'forbidden', 'not_found', 'conflict', 'invalid')),
  -- What happened and what helps, as a sentence.
  message text not null,
  times integer not null default 1,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- It is not tried again before then.
  probe_at timestamptz not null,
  mended_at timestamptz
);
create unique index tool_refusals_open on tool_refusals (workspace_id, connection_id, scope) where mended_at is null;
create index tool_refusals_by_connection on tool_refusals (workspace_id, connection_id, id desc);

-- What waits for a refusal to be mended. The first of those that wait is the one that is tried; the others have no time.
alter table effects add column parked_by uuid references tool_refusals;
create index effects_parked on effects (parked_by, id) where parked_by is not null and due_at is not null;

alter table notifications drop constraint notifications_kind_check, add constraint notifications_kind_check
  check (kind in ('decision', 'incident', 'run', 'token', 'webhook', 'runner', 'connection'));
alter table notification_settings drop constraint notification_settings_kind_check,
  add constraint notification_settings_kind_check
    check (kind in ('decision', 'incident', 'run', 'token', 'webhook', 'runner', 'connection'));
