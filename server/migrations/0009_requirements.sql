-- What people want, in their own words, and the draft stories that come of it.

create table requirements (
  id uuid primary key,
  workspace_id uuid not null,
  team_id uuid not null,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 64),
  text text not null check (text <> '' and length(text) <= 20000),
  status text not null check (status in ('clarifying', 'drafted', 'closed')),
  -- [{id, text, answer}], in order; answer is null until someone gives one.
  questions jsonb not null default '[]' check (
    jsonb_typeof(questions) = 'array' and jsonb_array_length(questions) <= 3
  ),
  -- Who split it: the name of the implementation.
  splitter text not null,
  -- What the splitter could not do, as sentences.
  notes jsonb not null default '[]' check (jsonb_typeof(notes) = 'array'),
  -- null when the product itself submitted it.
  submitted_by uuid references people,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (workspace_id, id),
  unique (workspace_id, slug),
  foreign key (workspace_id, team_id) references teams (workspace_id, id)
);
create index requirements_by_team on requirements (workspace_id, team_id, id desc);

alter table stories
  add column requirement_id uuid,
  add column approved_at timestamptz,
  -- null when no person approved it.
  add column approved_by uuid references people,
  -- A rejected draft stays as a row, so that its key is never given again, but nobody sees it any more.
  add column rejected_at timestamptz,
  add foreign key (workspace_id, requirement_id) references requirements (workspace_id, id),
  add check (approved_at is null or not draft),
  add check (approved_by is null or approved_at is not null),
  add check (rejected_at is null or draft);
create index stories_by_requirement on stories (workspace_id, requirement_id, id)
  where requirement_id is not null;

drop index stories_by_team;
create index stories_by_team on stories (workspace_id, team_id, id desc) where rejected_at is null;
