-- Outgoing webhooks: where events are sent, what is to be sent, and what became of it.

create table webhook_endpoints (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  url text not null check (length(url) <= 2000),
  description text not null,
  event_types text[] not null check (cardinality(event_types) > 0),
  -- Null: of all teams.
  team_ids uuid[],
  -- Sealed. Until the day after a rotation is over, messages are signed with the former one too.
  secret bytea,
  former_secret bytea,
  former_until timestamptz,
  state text not null check (state in ('active', 'paused', 'off')),
  -- Why it was turned off: it said that it is gone, or failed for too long.
  off_because text check (off_because in ('gone', 'failing')),
  -- Since when nothing got through; null: the last message did.
  failing_since timestamptz,
  warned_at timestamptz,
  -- It asked to be left alone until then.
  not_before timestamptz,
  -- Which node works through its queue: one at a time, so that its limit holds for all of them.
  node uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  unique (workspace_id, id),
  check ((state = 'off') = (off_because is not null)),
  check ((secret is null) = (deleted_at is not null))
);
create index webhook_endpoints_in_use on webhook_endpoints (workspace_id, id) where deleted_at is null;

-- How many events an object has had, so that whoever receives two of them knows which is newer.
create table webhook_sequences (
  workspace_id uuid not null references workspaces,
  object text not null,
  last integer not null,
  primary key (workspace_id, object)
);

-- The outbox: one row for each endpoint and event, written in the transaction of the change that it tells.
create table webhook_deliveries (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  -- The id of the audit entry that the event follows from. It names the message, however often it is sent.
  event_id uuid not null,
  type text not null,
  occurred_at timestamptz not null,
  data text not null,
  sequence integer not null,
  state text not null check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- Where in the schedule it is; sending it again begins the schedule from the start.
  step integer not null default 0,
  due_at timestamptz,
  primary key (endpoint_id, event_id),
  foreign key (workspace_id, endpoint_id) references webhook_endpoints (workspace_id, id),
  check ((state = 'pending') = (due_at is not null))
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at, event_id) where due_at is not null;
create index webhook_deliveries_by_age on webhook_deliveries (occurred_at);

create table webhook_attempts (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  attempt integer not null,
  at timestamptz not null,
  url text not null,
  signature text not null,
  -- Null: there was no answer, and `problem` says why.
  status integer,
  answer text,
  problem text,
  duration_ms integer not null,
  primary key (endpoint_id, event_id, attempt),
  foreign key (endpoint_id, event_id) references webhook_deliveries (endpoint_id, event_id) on delete cascade
);

alter table notifications drop constraint notifications_kind_check, add constraint notifications_kind_check
  check (kind in ('decision', 'incident', 'run', 'token', 'webhook'));
alter table notification_settings drop constraint notification_settings_kind_check,
  add constraint notification_settings_kind_check check (kind in ('decision', 'incident', 'run', 'token', 'webhook'));
