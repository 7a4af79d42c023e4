-- What the running server may do. Applied after every migration; the audit log can be added to and read, nothing else.

grant usage on schema public to signalbox_app;
grant select, insert, update, delete on all tables in schema public to signalbox_app;
grant usage on all sequences in schema public to signalbox_app;
grant execute on all functions in schema public to signalbox_app;

revoke insert, update, delete on migrations from signalbox_app;
revoke update, delete, truncate on audit_entries, audit_leaves, audit_nodes, audit_checkpoints, audit_exports
  from signalbox_app;
revoke update on audit_unsealed from signalbox_app;
revoke update, delete on policies from signalbox_app;
revoke update, delete, truncate on run_events, usage_ledger from signalbox_app;

grant usage on schema jobs to signalbox_app;
grant select, insert, update, delete on all tables in schema jobs to signalbox_app;
grant execute on all functions in schema jobs to signalbox_app;

-- A backup of an earlier version is loaded before its later tables are made.
do $$ begin
  if to_regclass('audit_key_changes') is not null then
    revoke update, delete, truncate on audit_key_changes from signalbox_app;
  end if;
  if to_regclass('audit_timestamps') is not null then
    revoke update, delete, truncate on audit_timestamps from signalbox_app;
  end if;
  if to_regclass('audit_months') is not null then
    revoke insert, update, delete, truncate on audit_months from signalbox_app;
  end if;
  if to_regclass('audit_personal') is not null then
    revoke update, delete, truncate on audit_personal from signalbox_app;
  end if;
end $$;

-- A partition is reached through its parent; rights of its own would be a way around.
do $$
declare
  part regclass;
begin
  for part in select inhrelid::regclass from pg_inherits where inhparent = 'audit_entries'::regclass loop
    execute format('revoke all on %s from signalbox_app', part);
  end loop;
end $$;
