-- online
-- formerly: ae30b1f92e845a15c2982b4750b877124975d03a30922940884b1f987e4c429f

-- What has been taken out of the log of a run because of its age.
alter table run_log_ends add column if not exists swept text;
alter table run_log_ends drop constraint if exists run_log_ends_swept_check,
  add constraint run_log_ends_swept_check check (swept in ('thinned', 'removed')) not valid;
alter table run_log_ends validate constraint run_log_ends_swept_check;

-- Which entries an export held is no part of the log. It goes with age, and only by the function below: the server has
-- no right to delete from the table, and for everyone else the trigger stays.
create or replace function refuse_rewriting() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'audit_exports' and current_setting('signalbox.retention', true) = 'on' then
    return old;
  end if;
  raise exception 'the audit log is append-only: % on % is refused', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
end $$;

create or replace function remove_audit_exports(of_workspace uuid, before_id uuid, most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone integer;
begin
  perform set_config('signalbox.retention', 'on', true);
  delete from audit_exports where id in (
    select id from audit_exports where workspace_id = of_workspace and id < before_id order by id limit most);
  get diagnostics gone = row_count;
  perform set_config('signalbox.retention', 'off', true);
  return gone;
end $$;
