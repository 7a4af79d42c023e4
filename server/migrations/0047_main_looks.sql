-- What a runner found at the main branch of a repository whose host checks nothing, and at which commit; kept: a person
-- knows that it is red and lets merges go on.
alter table team_repositories
  add column main_commit text,
  add column main_state text check (main_state in ('green', 'red', 'kept'));
