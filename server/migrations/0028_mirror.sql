-- Stories that mirror issues of a tracker, and how far the mirror of each team has come.

create table mirrors (
  workspace_id uuid not null,
  team_id uuid not null,
  -- What it mirrors. A team that is bound to something else begins again.
  connection_id uuid not null,
  project_id text not null,
  label text,
  -- Every status of the project: [{id, name, guess}]; null: not asked for yet.
  statuses jsonb,
  -- How far changes have been read; its form belongs to the tool.
  cursor jsonb,
  -- The first import.
  imported integer not null default 0,
  total integer,
  imported_at timestamptz,
  -- When it is looked at next, and until when somebody is at it.
  due_at timestamptz not null,
  held_until timestamptz,
  swept_at timestamptz,
  compared_at timestamptz,
  failures integer not null default 0,
  last_error text,
  primary key (workspace_id, team_id),
  foreign key (workspace_id, team_id) references teams (workspace_id, id),
  foreign key (workspace_id, connection_id) references connections (workspace_id, id)
);

create table mirrored_stories (
  workspace_id uuid not null,
  story_id uuid not null,
  team_id uuid not null,
  connection_id uuid not null,
  -- The tool's address: two connections to the same tool see the same issues.
  tool text not null,
  project_id text not null,
  -- Null: it is being created, and `wish` names the wish over there.
  issue_id text,
  wish text,
  -- What both sides said last, field by field.
  base jsonb not null,
  -- The newest version of the issue that was seen, by the tool's clock, and what it said.
  issue_updated_at timestamptz,
  issue_digest text,
  -- Fields that are being written over there.
  writing text[] not null default '{}',
  -- What was edited here and over there at once: [{field, ours, theirs}]; the tracker's is kept.
  conflicts jsonb not null default '[]',
  -- Why something could not be written over there.
  notice text,
  left_because text check (left_because in ('closed', 'moved', 'deleted')),
  -- The comment with milestones: {run, ref, text}.
  comment jsonb,
  -- Since when both sides say the same; null: they do not.
  in_step_since timestamptz,
  checked_at timestamptz not null,
  primary key (workspace_id, story_id),
  foreign key (workspace_id, story_id) references stories (workspace_id, id),
  foreign key (workspace_id, team_id) references teams (workspace_id, id),
  foreign key (workspace_id, connection_id) references connections (workspace_id, id),
  check (num_nonnulls(issue_id, wish) > 0)
);
-- An issue is one story, however often it is found.
create unique index mirrored_stories_by_issue on mirrored_stories (workspace_id, tool, project_id, issue_id)
  where issue_id is not null;
create index mirrored_stories_by_wish on mirrored_stories (workspace_id, wish) where issue_id is null;

-- A tool has asked to be left alone until then. One bucket for each connection, over all nodes.
create table connection_pauses (
  workspace_id uuid not null,
  connection_id uuid not null,
  until timestamptz not null,
  primary key (workspace_id, connection_id),
  foreign key (workspace_id, connection_id) references connections (workspace_id, id)
);

-- What becomes of a run whose issue is closed, moved or deleted over there.
alter table policies add column when_issue_leaves text not null default 'stop'
  check (when_issue_leaves in ('stop', 'finish'));
