-- A survey may only run the gates on a commit of a main branch that people have pushed to (`checks`): a team has at most
-- one of these and one survey at a time.
drop index runs_open_survey;
create unique index runs_open_survey on runs (workspace_id, team_id, ((memory ->> 'checks') is null))
  where story_id is null and phase = 'working';

-- Which comment of the issue holds what the tool has no fields for, where it is a comment: it is asked for by its id.
alter table mirrored_stories add column block_ref text;

-- Whether an issue is blocked is not known yet: its story waits. Blocked ones are asked about in turns, by when they were.
alter table stories
  add column blockers_unread boolean not null default false,
  add column blockers_asked_at timestamptz;
