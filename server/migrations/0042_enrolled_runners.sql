-- Runners are enrolled: an instance belongs to the key that it signs with, works for the teams it is meant for, and is
-- given what its orders need.

alter table runners
  -- How often it has registered. A challenge is for the next time, and for no other.
  add column registrations integer not null default 0,
  -- When its owners were last told that somebody came under its name with another key.
  add column refused_at timestamptz,
  -- When a person gave its instance free: whoever comes under it next is another runner.
  add column forgotten_at timestamptz,
  -- The teams it works for; none: all of them.
  add column team_ids uuid[] not null default '{}',
  -- What it was given since it is known.
  add column orders_given integer not null default 0,
  add column reads_given integer not null default 0,
  add column writes_given integer not null default 0,
  drop constraint runners_state_check,
  add constraint runners_state_check check (state in ('pending', 'active', 'paused', 'draining', 'removed')),
  drop constraint runners_workspace_id_instance_key;
create unique index runners_of_instance on runners (workspace_id, instance) where forgotten_at is null;
create index runners_of_token on runners (token_id) where state <> 'removed';

update runners w set orders_given = given.orders
from (
  select workspace_id, runner_id, count(*)::int as orders from work_orders
  where runner_id is not null group by workspace_id, runner_id
) as given
where given.workspace_id = w.workspace_id and given.runner_id = w.id;

-- Whether an owner or admin has to approve each new runner.
alter table workspaces add column approves_runners boolean not null default false;

alter table notifications drop constraint notifications_kind_check, add constraint notifications_kind_check
  check (kind in ('decision', 'incident', 'run', 'token', 'webhook', 'runner'));
alter table notification_settings drop constraint notification_settings_kind_check,
  add constraint notification_settings_kind_check
    check (kind in ('decision', 'incident', 'run', 'token', 'webhook', 'runner'));

-- Which run a kept file belongs to: under an order, files of its own run can be read and named, and no others.
create table run_files (
  workspace_id uuid not null,
  run_id uuid not null,
  sha256 text not null,
  primary key (workspace_id, run_id, sha256),
  foreign key (workspace_id, run_id) references runs (workspace_id, id),
  foreign key (workspace_id, sha256) references kept_files (workspace_id, sha256)
);
-- So far a file was its workspace's. It belongs to every run that names it: in what the run remembers, in what was
-- reported, as its evidence.
insert into run_files (workspace_id, run_id, sha256)
select n.workspace_id, n.run_id, n.sha256
from (
  select workspace_id, id as run_id, unnest(regexp_matches(memory::text, '"([0-9a-f]{64})"', 'g')) as sha256 from runs
  union
  select workspace_id, run_id, unnest(regexp_matches(data::text, '"([0-9a-f]{64})"', 'g')) from run_events
  where type in ('spec_pinned', 'question_asked', 'change_ready', 'gates_ran')
  union
  select workspace_id, run_id, envelope from attempt_evidence
) as n
join kept_files k on k.workspace_id = n.workspace_id and k.sha256 = n.sha256;

-- What a workspace keeps, in bytes.
create table kept_totals (
  workspace_id uuid primary key references workspaces,
  bytes bigint not null
);
insert into kept_totals (workspace_id, bytes)
select workspace_id, sum(size) from kept_files group by workspace_id;

-- What an order has brought.
alter table work_orders
  add column files integer not null default 0,
  add column file_bytes bigint not null default 0,
  add column report_bytes bigint not null default 0;
