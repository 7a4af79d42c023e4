-- online
-- formerly: 56699197a645cc3365a215d23292a6e9d04dc8d0de4a53640248674488d20ec6

-- What a runner says of git on its machine: which version, and which folders with repositories it may use.
alter table runners add column if not exists git jsonb;

-- A practice project: a small repository, a team, a service and a runner beside the server, for a first try. A workspace
-- has one at a time, and it is made as a whole.
create table if not exists practice_projects (
  workspace_id uuid primary key references workspaces,
  -- On whose behalf it was made, and its runner signs in.
  person_id uuid not null references people,
  -- Its folder below the data folder.
  folder text not null,
  team_id uuid not null,
  story_id uuid not null,
  service_id uuid not null,
  source_id uuid not null,
  -- What its runner signs in with now.
  token_id uuid,
  -- Which it is, once it was there.
  runner_id uuid,
  -- When the alert was sent that its change is the cause of.
  alerted_at timestamptz,
  -- Which process keeps the runner, and until when another leaves it alone.
  held_by uuid,
  held_until timestamptz,
  -- What keeps the runner from starting, in words.
  trouble text,
  -- Since when it is being removed: no runner is started for it any more.
  removing_at timestamptz,
  made_at timestamptz not null,
  foreign key (workspace_id, team_id) references teams (workspace_id, id),
  foreign key (workspace_id, story_id) references stories (workspace_id, id),
  foreign key (workspace_id, service_id) references services (workspace_id, id),
  foreign key (workspace_id, source_id) references sources (workspace_id, id)
);

-- What a practice project has left behind when it was removed is in no list any more. It can still be opened by its key.
alter table runs add column if not exists hidden boolean not null default false;
alter table decisions add column if not exists hidden boolean not null default false;
alter table incidents add column if not exists hidden boolean not null default false;
