-- The audit log: appended to in the transaction of each change, sealed afterwards, never rewritten.

-- Partitioned by id. An id begins with its millisecond, so order of ids is order of time, and a date range
-- is an id range that both the index and the partition pruning understand.
create table audit_entries (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  team text,
  actor_type text not null check (actor_type in ('human', 'service', 'system')),
  event text not null,
  run_key text,
  -- The entry as every reader sees it. The columns above repeat what filters need; verify-audit compares them.
  entry text not null
) partition by range (id);

create index audit_by_time on audit_entries (workspace_id, id desc);
create index audit_by_event on audit_entries (workspace_id, event, id desc);
create index audit_by_actor on audit_entries (workspace_id, actor_type, id desc);
create index audit_by_team on audit_entries (workspace_id, team, id desc) where team is not null;
create index audit_by_run on audit_entries (workspace_id, run_key, id desc) where run_key is not null;

-- The smallest id of a day.
create function first_id_of(day date) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

-- Everything before the month in which the log began. There is no default partition: with one, PostgreSQL would have
-- to ask every month for its newest row instead of reading the months in order.
do $$ begin
  execute format('create table audit_entries_before partition of audit_entries for values from (minvalue) to (%L)',
    first_id_of(date_trunc('month', now() at time zone 'UTC')::date));
end $$;

-- Committed, but not yet in the tree.
create table audit_unsealed (
  workspace_id uuid not null references workspaces,
  entry_id uuid not null,
  primary key (workspace_id, entry_id)
)
-- A queue: rows come and go with every change, so it is cleaned by count, not by share.
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The tree's leaves, dense from 0 in each workspace.
create table audit_leaves (
  workspace_id uuid not null,
  position bigint not null check (position >= 0),
  entry_id uuid not null unique,
  hash bytea not null check (octet_length(hash) = 32),
  primary key (workspace_id, position)
);

-- Roots of complete subtrees, kept at every eighth level so that a proof reads hundreds of rows, not millions.
create table audit_nodes (
  workspace_id uuid not null,
  level smallint not null check (level in (8, 16, 24)),
  position bigint not null check (position >= 0),
  hash bytea not null check (octet_length(hash) = 32),
  primary key (workspace_id, level, position)
);

create table audit_checkpoints (
  workspace_id uuid not null references workspaces,
  size bigint not null check (size > 0),
  root bytea not null check (octet_length(root) = 32),
  -- Roots of the complete subtrees that make up the tree, left to right: what the next leaf is added to.
  frontier bytea not null check (octet_length(frontier) % 32 = 0),
  -- The signed note, as it is handed out.
  note text not null,
  sealed_at timestamptz not null,
  primary key (workspace_id, size)
);

-- Which entries a file holds, in its order, so that a proof can name one that has gone missing.
create table audit_exports (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  entries uuid[] not null
);
-- Compressing five thousand ids took most of an export's time and saved next to nothing.
alter table audit_exports alter column entries set storage external;

create function refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only: % on % is refused', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
end $$;

-- "Always": the triggers fire in replication mode too.
create function guard_append_only(target regclass) returns void language plpgsql as $$
begin
  if not exists (select from pg_trigger where tgrelid = target and tgname = 'append_only_rows') then
    execute format(
      'create trigger append_only_rows before update or delete on %s for each row execute function refuse_rewriting()', target);
  end if;
  execute format(
    'create trigger append_only_table before truncate on %s for each statement execute function refuse_rewriting()', target);
  execute format('alter table %s enable always trigger append_only_rows', target);
  execute format('alter table %s enable always trigger append_only_table', target);
end $$;

select guard_append_only(name) from unnest(array[
  'audit_entries', 'audit_entries_before', 'audit_leaves', 'audit_nodes', 'audit_checkpoints', 'audit_exports'
]::regclass[]) as name;

-- Makes the months up to `until` ahead of time. Runs as its owner: the server itself has no DDL rights.
create function prepare_audit_months(until date) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  month date;
  part text;
begin
  perform pg_advisory_xact_lock(4402);
  select coalesce(
    max(to_date(right(c.relname, 7), 'YYYY_MM')) + interval '1 month',
    date_trunc('month', now() at time zone 'UTC'))
  into month
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'audit_entries'::regclass and c.relname ~ '_\d{4}_\d{2}$';

  while month <= until loop
    part := 'audit_entries_' || to_char(month, 'YYYY_MM');
    execute format(
      'create table %I partition of audit_entries for values from (%L) to (%L)',
      part, first_id_of(month), first_id_of((month + interval '1 month')::date));
    perform guard_append_only(part::regclass);
    month := month + interval '1 month';
  end loop;
end $$;

select prepare_audit_months(current_date + 92);
