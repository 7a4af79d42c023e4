-- The last suggestion to change a team's policy that a person declined. It isn't made again until there are as many new
-- reasons for it. Who declined it, and why, is in the audit log.
create table declined_suggestions (
  workspace_id uuid not null,
  team_id uuid not null,
  -- How many approved merges it followed from.
  merges integer not null check (merges > 0),
  at timestamptz not null,
  primary key (workspace_id, team_id),
  foreign key (workspace_id, team_id) references teams (workspace_id, id) on delete cascade
);
