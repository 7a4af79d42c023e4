-- Months of the audit log that were written to files and dropped: what the signed notes about them say. Leaves and nodes
-- of their entries stay, so the tree is whole. The notes outlive the entries about them.
create table audit_months (
  workspace_id uuid not null references workspaces,
  month text not null check (month ~ '^\d{4}-\d{2}$'),
  entries bigint not null,
  file text not null,
  note text not null,
  -- Notes of restores whose entries are in the file.
  restored text[] not null default '{}',
  archived_at timestamptz not null,
  primary key (workspace_id, month)
);
select guard_append_only('audit_months');

-- Drops a month of which all entries are in files. With the rights of who calls it: the server's role owns no table, so
-- it cannot. Whoever is in the way is not waited for.
create function drop_audit_month(month text, expected bigint) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  part regclass := to_regclass('audit_entries_' || replace(month, '-', '_'));
  found bigint;
begin
  perform set_config('lock_timeout', '2s', true);
  -- Nothing can be added between counting and dropping; reading goes on.
  execute format('lock table %s in share mode', part);
  execute format('select count(*) from %s', part) into found;
  if found <> expected then
    raise exception 'month % has % entries, and % are in files: it is not dropped', month, found, expected;
  end if;
  execute format('drop table %s', part);
end $$;
