-- online
-- formerly: 7c99d65d863bcda0d9292d7fbbba661b331fd82171f8c78d85456c58c123f694

-- A survey may only run the gates on a commit of a main branch that people have pushed to (`checks`): a team has at most
-- one of these and one survey at a time. The index that allows it is there before the one that does not goes.
create unique index concurrently if not exists runs_open_survey_or_checks
  on runs (workspace_id, team_id, ((memory ->> 'checks') is null)) where story_id is null and phase = 'working';
drop index concurrently if exists runs_open_survey;
alter index if exists runs_open_survey_or_checks rename to runs_open_survey;

-- Which comment of the issue holds what the tool has no fields for, where it is a comment: it is asked for by its id.
alter table mirrored_stories add column if not exists block_ref text;

-- Whether an issue is blocked is not known yet: its story waits. Blocked ones are asked about in turns, by when they were.
alter table stories
  add column if not exists blockers_unread boolean not null default false,
  add column if not exists blockers_asked_at timestamptz;
