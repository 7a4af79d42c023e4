-- The audit log as it is sent to where the operator wants it: which node sends, and how that goes. One row.
create table audit_stream (
  only_row boolean primary key default true check (only_row),
  node uuid not null,
  node_until timestamptz not null,
  sent_at timestamptz,
  failing_since timestamptz,
  error text
);

-- How far it has been sent, by workspace: the position of the entry that is next.
create table audit_stream_positions (
  workspace_id uuid primary key references workspaces,
  position bigint not null
);
