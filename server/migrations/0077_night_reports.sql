-- online
-- formerly: 643f5cec9da4f8911244f768ba92081c233ad6e31e41638657d55aa0d68476d8

-- The night shift report: what each person is told in the morning, once.

alter table notifications drop constraint if exists notifications_kind_check, add constraint notifications_kind_check
  check (kind in ('decision', 'incident', 'run', 'token', 'webhook', 'runner', 'connection', 'report')) not valid;
alter table notifications validate constraint notifications_kind_check;
alter table notification_settings drop constraint if exists notification_settings_kind_check,
  add constraint notification_settings_kind_check
  check (kind in ('decision', 'incident', 'run', 'token', 'webhook', 'runner', 'connection', 'report'));

-- When a person wants it, and whether in a chat tool too; without a row, as contract/notifications.ts says.
create table if not exists report_settings (
  person_id uuid primary key references people on delete cascade,
  hour smallint not null check (hour between 0 and 23),
  time_zone text not null check (length(time_zone) between 1 and 100),
  by_chat boolean not null
);

-- A morning on which a person's turn came. What the report says is read from the log: here is only which part of it.
create table if not exists night_reports (
  workspace_id uuid not null,
  person_id uuid not null,
  morning date not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  -- Nothing had happened and nothing waited: no one was told.
  is_empty boolean not null,
  primary key (workspace_id, person_id, morning),
  foreign key (workspace_id, person_id) references memberships (workspace_id, person_id) on delete cascade,
  check (from_at < until_at)
);
