-- A decision that a person has put off for themselves. It is back at the time they chose, or as soon as it says something
-- else than it did then: `seen` is the digest of how it read. Nothing else looks at this: deadlines and messages go on.
create table decision_snoozes (
  workspace_id uuid not null,
  person_id uuid not null,
  decision_id uuid not null,
  until timestamptz not null,
  seen text not null,
  primary key (workspace_id, person_id, decision_id),
  foreign key (workspace_id, person_id) references memberships (workspace_id, person_id) on delete cascade,
  foreign key (workspace_id, decision_id) references decisions (workspace_id, id) on delete cascade
);

-- Filters of a team's board that a person has named, for themselves.
create table story_views (
  id uuid primary key,
  workspace_id uuid not null,
  person_id uuid not null,
  team_id uuid not null,
  name text not null check (length(name) between 1 and 60),
  filter jsonb not null,
  foreign key (workspace_id, person_id) references memberships (workspace_id, person_id) on delete cascade,
  foreign key (workspace_id, team_id) references teams (workspace_id, id) on delete cascade,
  unique (workspace_id, person_id, name)
);
