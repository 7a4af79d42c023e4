-- Checkpoints that are sent out of the installation: how that goes for each place they are sent to.
create table audit_anchors (
  target text primary key check (target in ('timestamp', 'folder', 'webhook', 'email')),
  tried_at timestamptz,
  sent_at timestamptz,
  failing_since timestamptz,
  error text
);

-- The newest checkpoint of each log that a place has.
create table audit_anchored (
  workspace_id uuid not null references workspaces,
  target text not null,
  size bigint not null,
  primary key (workspace_id, target)
);

-- What a timestamp authority has signed about a checkpoint (RFC 3161), with the checkpoint: it outlives that in the log.
create table audit_timestamps (
  workspace_id uuid not null references workspaces,
  size bigint not null,
  note text not null,
  response bytea not null,
  stamped_at timestamptz not null,
  primary key (workspace_id, size)
);
select guard_append_only('audit_timestamps');
