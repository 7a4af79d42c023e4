-- Checkpoints thin with age: the last of each hour stays. What they vouch for does not need them: the leaves lead to the
-- root of each, and the later ones are signed over it.
create or replace function refuse_rewriting() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name in ('audit_exports', 'audit_checkpoints')
    and current_setting('signalbox.retention', true) = 'on' then
    return old;
  end if;
  raise exception 'the audit log is append-only: % on % is refused', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
end $$;

-- The server has no right to delete; whatever it asks for, the last of each hour stays, and so does the last day.
create function thin_audit_checkpoints(of_workspace uuid, before timestamptz, most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  gone integer;
begin
  perform set_config('signalbox.retention', 'on', true);
  delete from audit_checkpoints c using (
    select size from (
      select size, sealed_at, lead(sealed_at) over (order by size) as next_at
      from audit_checkpoints
      where workspace_id = of_workspace
        and sealed_at < least(date_trunc('hour', before, 'UTC'), now() - interval '1 day')
    ) as old
    where date_trunc('hour', next_at, 'UTC') = date_trunc('hour', sealed_at, 'UTC')
    order by size limit most
  ) as thin
  where c.workspace_id = of_workspace and c.size = thin.size;
  get diagnostics gone = row_count;
  perform set_config('signalbox.retention', 'off', true);
  return gone;
end $$;
