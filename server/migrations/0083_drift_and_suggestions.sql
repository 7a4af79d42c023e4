-- online
-- What a file said of a resource when it was applied, without secrets: what is otherwise now has been changed since.
-- Null: it was applied by an earlier version.
alter table managed_resources add column if not exists applied jsonb;

-- People who may answer a policy suggestion are told of it.
alter table notifications drop constraint if exists notifications_kind_check, add constraint notifications_kind_check
  check (kind in ('decision', 'incident', 'run', 'token', 'webhook', 'runner', 'connection', 'report', 'suggestion'))
  not valid;
alter table notifications validate constraint notifications_kind_check;
alter table notification_settings drop constraint if exists notification_settings_kind_check,
  add constraint notification_settings_kind_check
  check (kind in ('decision', 'incident', 'run', 'token', 'webhook', 'runner', 'connection', 'report', 'suggestion'));
