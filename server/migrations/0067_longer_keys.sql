-- online
-- formerly: 7b8f0b9d6a61fcf7865c197ae8d6e0216d21dec381f9693b0dd816bd7e4e1e7f

-- Keys have four characters until all of them are used up in a workspace, then six. Not held against rows that are there:
-- what was allowed before is allowed now.
alter table runs drop constraint if exists runs_key_check,
  add constraint runs_key_check check (key ~ '^run-[a-z0-9]{4}([a-z0-9]{2})?$') not valid;
alter table decisions drop constraint if exists decisions_key_check,
  add constraint decisions_key_check check (key ~ '^dec-[a-z0-9]{4}([a-z0-9]{2})?$') not valid;
alter table incidents drop constraint if exists incidents_key_check,
  add constraint incidents_key_check check (key ~ '^inc-[a-z0-9]{4}([a-z0-9]{2})?$') not valid;
