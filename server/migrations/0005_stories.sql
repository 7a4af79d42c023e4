-- Stories and the columns they move through.

create table columns (
  id uuid primary key,
  workspace_id uuid not null,
  team_id uuid not null,
  name text not null check (name <> ''),
  role text not null check (role in ('backlog', 'refining', 'ready', 'in_progress', 'review', 'done')),
  position integer not null,
  unique (workspace_id, team_id, id),
  unique (workspace_id, team_id, role),
  foreign key (workspace_id, team_id) references teams (workspace_id, id)
);

create table stories (
  id uuid primary key,
  workspace_id uuid not null,
  team_id uuid not null,
  key text not null,
  title text not null check (title <> ''),
  description text not null,
  -- [{id, text, status, verifiedAt}], in order
  acceptance_criteria jsonb not null default '[]',
  -- The Demonstrate block: how a person would see that the story is done.
  demonstrate text,
  column_id uuid not null,
  draft boolean not null default false,
  readiness_score integer not null check (readiness_score between 0 and 100),
  size text check (size in ('xs', 's', 'm', 'l', 'xl')),
  complexity text check (complexity in ('low', 'medium', 'high')),
  class_of_service text not null default 'standard' check (
    class_of_service in ('expedite', 'fixed_date', 'standard', 'intangible')
  ),
  tracker_platform text,
  tracker_key text,
  tracker_url text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (workspace_id, id),
  unique (workspace_id, key),
  foreign key (workspace_id, team_id) references teams (workspace_id, id),
  foreign key (workspace_id, team_id, column_id) references columns (workspace_id, team_id, id),
  check (num_nonnulls(tracker_platform, tracker_key, tracker_url) in (0, 3))
);
create index stories_by_team on stories (workspace_id, team_id, id desc);
create index stories_approved_by_team on stories (workspace_id, team_id, id desc) where not draft;
