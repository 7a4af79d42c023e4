-- online
-- PagerDuty and Opsgenie are told of alerts with the API key of a source. What they refuse is in the same ledger: a
-- refusal is about a connection or about a source.
alter table tool_refusals alter column connection_id drop not null, add column if not exists source_id uuid;
alter table tool_refusals drop constraint if exists tool_refusals_source_fkey, add constraint tool_refusals_source_fkey
  foreign key (workspace_id, source_id) references sources (workspace_id, id) not valid;
alter table tool_refusals validate constraint tool_refusals_source_fkey;
alter table tool_refusals drop constraint if exists tool_refusals_holder_check,
  add constraint tool_refusals_holder_check check (num_nonnulls(connection_id, source_id) = 1) not valid;
alter table tool_refusals validate constraint tool_refusals_holder_check;
create unique index concurrently if not exists tool_refusals_open_of_source
  on tool_refusals (workspace_id, source_id, scope) where mended_at is null and source_id is not null;
create index concurrently if not exists tool_refusals_by_source
  on tool_refusals (workspace_id, source_id, id desc) where source_id is not null;
