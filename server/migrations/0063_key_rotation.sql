-- SECRET_KEY can be replaced while the server runs. A node of the release before has one key and says nothing of it.

alter table instance
  -- While what was made with the key before is being made again with the new one.
  add column previous_fingerprint text,
  add column rotation_started_at timestamptz,
  add column rotation_finished_at timestamptz,
  add column resealed integer not null default 0,
  -- Browsers have subscribed to the key that pushes are signed with, so it outlives the one that it was derived from.
  -- Null: it is derived from SECRET_KEY. Encrypted.
  add column push_seed bytea;

alter table nodes
  -- Fingerprints of the keys that it was started with, that of SECRET_KEY first, and of the one that it seals with.
  add column secret_keys text[],
  add column seals_with text;

-- How a log went from one key to the next: notes that both of them have signed. They outlive the entries about it.
create table audit_key_changes (
  workspace_id uuid not null references workspaces,
  note text not null,
  changed_at timestamptz not null,
  primary key (workspace_id, changed_at)
);
select guard_append_only('audit_key_changes');
