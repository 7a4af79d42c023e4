-- Open issues that block the story's own, as its tracker has them: `WEB-7`, `halden/web#7`. It is not started until there
-- are none.
alter table stories add column blocked_by text[] not null default '{}';
