-- What arrived and was acknowledged, until a round has made deliveries, audit entries and alerts of it. Deliveries that
-- arrive together are one row for each of their sources, so that a source that floods is no queue for another. Nothing
-- but the primary key: a row is written while its senders wait.
create table intake (
  workspace_id uuid not null,
  source_id uuid not null,
  -- That of its first delivery.
  id uuid not null,
  -- [Arrived], see domain/signals/arrived.ts; in the order in which they arrived.
  deliveries text not null,
  primary key (workspace_id, source_id, id)
)
-- A queue: rows come and go.
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000);
-- Compressing what is read once and deleted costs more than it saves.
alter table intake alter column deliveries set storage external;

-- What waited in the former queue has its delivery and its entry already; it is left to be understood.
insert into intake (workspace_id, source_id, id, deliveries)
select d.workspace_id, d.source_id, d.id, json_build_array(json_build_object(
  'id', d.id, 'receivedAt', iso(d.received_at), 'alerts', d.alerts, 'test', d.test, 'problem', d.problem,
  'handshake', d.handshake, 'waits', true, 'isRecorded', true
))::text
from deliveries_waiting w join deliveries d on d.id = w.id;
drop table deliveries_waiting;

-- The key does the work of an index of its own: deliveries are read by their source, entries by their workspace.
alter table deliveries drop constraint deliveries_pkey, add primary key (source_id, id);
drop index deliveries_by_source;
alter table audit_entries drop constraint audit_entries_pkey, add primary key (workspace_id, id);
drop index audit_by_time;

-- Rows that come in thousands a second, from one place of the code each, which has the other row in its hand. Workspaces,
-- sources, services and incidents are never deleted; looking each of them up again costs more than writing the row.
do $$
declare
  one record;
begin
  for one in
    select conrelid::regclass as target, conname from pg_constraint
    where contype = 'f' and conparentid = 0
      and conrelid = any (array['audit_entries', 'alerts', 'former_alerts']::regclass[])
  loop
    execute format('alter table %s drop constraint %I', one.target, one.conname);
  end loop;
end $$;
