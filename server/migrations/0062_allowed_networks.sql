-- From where a workspace is used: by people and tokens, and by runners. Empty: from anywhere.
alter table workspaces
  add column networks text[] not null default '{}',
  add column runner_networks text[] not null default '{}';
