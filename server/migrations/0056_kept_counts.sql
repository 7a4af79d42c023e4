-- online
-- formerly: 90bef397b9c78a1f6c161c7355c422785617fcc588070d2852786ef26b31cf6a

-- What grows with the number of stories, decisions and bills is kept, not counted. Each row here is a change of an amount,
-- written by the transaction that made it: an amount is the sum of its rows, and two transactions never wait for each
-- other's row, as they would for one that both add to. `fold_counts` makes one row of many now and then. There are no
-- foreign keys, for the same reason.

-- Stories that were not rejected.
create table if not exists story_counts (
  workspace_id uuid not null,
  team_id uuid not null,
  column_id uuid not null,
  draft boolean not null,
  size text,
  amount bigint not null
);
create index if not exists story_counts_by_team on story_counts (workspace_id, team_id);

-- Decisions that wait for an answer.
create table if not exists pending_counts (
  workspace_id uuid not null,
  team_id uuid not null,
  kind text not null,
  amount bigint not null
);
create index if not exists pending_counts_by_team on pending_counts (workspace_id, team_id);

-- What was spent on a day of UTC.
create table if not exists day_spend (
  workspace_id uuid not null,
  team_id uuid not null,
  day timestamptz not null,
  euro_micros bigint not null
);
create index if not exists day_spend_by_team on day_spend (workspace_id, team_id, day);

-- Nodes of the release before write here as soon as there are triggers; other rights come after all migrations.
do $$ begin
  if exists (select from pg_roles where rolname = 'signalbox_app') then
    grant select, insert, update, delete on story_counts, pending_counts, day_spend to signalbox_app;
  end if;
end $$;

create or replace function count_new_stories() returns trigger language plpgsql as $$
begin
  insert into story_counts (workspace_id, team_id, column_id, draft, size, amount)
  select workspace_id, team_id, column_id, draft, size, count(*) from added
  where rejected_at is null
  group by workspace_id, team_id, column_id, draft, size;
  return null;
end $$;
create or replace trigger stories_count_new after insert on stories
  referencing new table as added
  for each statement execute function count_new_stories();

create or replace function count_changed_story() returns trigger language plpgsql as $$
begin
  if old.rejected_at is null then
    insert into story_counts values (old.workspace_id, old.team_id, old.column_id, old.draft, old.size, -1);
  end if;
  if tg_op = 'UPDATE' and new.rejected_at is null then
    insert into story_counts values (new.workspace_id, new.team_id, new.column_id, new.draft, new.size, 1);
  end if;
  return null;
end $$;
create or replace trigger stories_count_changed after update on stories for each row
  when (
    (old.workspace_id, old.team_id, old.column_id, old.draft, old.size, old.rejected_at is null)
    is distinct from (new.workspace_id, new.team_id, new.column_id, new.draft, new.size, new.rejected_at is null)
  )
  execute function count_changed_story();
create or replace trigger stories_count_gone after delete on stories for each row execute function count_changed_story();

create or replace function count_pending_decision() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.status = 'pending' then
    insert into pending_counts values (old.workspace_id, old.team_id, old.kind, -1);
  end if;
  if tg_op <> 'DELETE' and new.status = 'pending' then
    insert into pending_counts values (new.workspace_id, new.team_id, new.kind, 1);
  end if;
  return null;
end $$;
create or replace trigger decisions_count_new after insert on decisions for each row
  when (new.status = 'pending') execute function count_pending_decision();
create or replace trigger decisions_count_changed after update on decisions for each row
  when (
    (old.workspace_id, old.team_id, old.kind, old.status = 'pending')
    is distinct from (new.workspace_id, new.team_id, new.kind, new.status = 'pending')
  )
  execute function count_pending_decision();
create or replace trigger decisions_count_gone after delete on decisions for each row
  when (old.status = 'pending') execute function count_pending_decision();

-- The ledger is added to and never changed.
create or replace function add_day_spend() returns trigger language plpgsql as $$
begin
  insert into day_spend (workspace_id, team_id, day, euro_micros)
  select workspace_id, team_id, date_trunc('day', at, 'UTC'), sum(euro_micros) from added
  group by workspace_id, team_id, date_trunc('day', at, 'UTC');
  return null;
end $$;
create or replace trigger usage_adds_day_spend after insert on usage_ledger
  referencing new table as added
  for each statement execute function add_day_spend();

-- Two that fold at the same time leave each other's rows alone, and those of a transaction that is not over.
create or replace function fold_counts() returns void language plpgsql as $$
begin
  with several as (
    select workspace_id, team_id, column_id, draft, size from story_counts group by 1, 2, 3, 4, 5 having count(*) > 1
  ), taken as (
    delete from story_counts where ctid = any (array(
      select c.ctid from story_counts c join several s using (workspace_id, team_id, column_id, draft)
      where c.size is not distinct from s.size
      for update of c skip locked
    ))
    returning *
  )
  insert into story_counts
  select workspace_id, team_id, column_id, draft, size, sum(amount) from taken group by 1, 2, 3, 4, 5
  having sum(amount) <> 0;

  with several as (
    select workspace_id, team_id, kind from pending_counts group by 1, 2, 3 having count(*) > 1
  ), taken as (
    delete from pending_counts where ctid = any (array(
      select c.ctid from pending_counts c join several using (workspace_id, team_id, kind)
      for update of c skip locked
    ))
    returning *
  )
  insert into pending_counts
  select workspace_id, team_id, kind, sum(amount) from taken group by 1, 2, 3 having sum(amount) <> 0;

  with several as (
    select workspace_id, team_id, day from day_spend group by 1, 2, 3 having count(*) > 1
  ), taken as (
    delete from day_spend where ctid = any (array(
      select c.ctid from day_spend c join several using (workspace_id, team_id, day)
      for update of c skip locked
    ))
    returning *
  )
  insert into day_spend
  select workspace_id, team_id, day, sum(euro_micros) from taken group by 1, 2, 3;
end $$;

-- Counts everything: after rows were copied in past the triggers.
create or replace function recount() returns void language plpgsql as $$
begin
  lock table stories, decisions, usage_ledger in share row exclusive mode;
  delete from story_counts;
  delete from pending_counts;
  delete from day_spend;
  insert into story_counts
  select workspace_id, team_id, column_id, draft, size, count(*) from stories where rejected_at is null
  group by 1, 2, 3, 4, 5;
  insert into pending_counts
  select workspace_id, team_id, kind, count(*) from decisions where status = 'pending' group by 1, 2, 3;
  insert into day_spend
  select workspace_id, team_id, date_trunc('day', at, 'UTC'), sum(euro_micros) from usage_ledger group by 1, 2, 3;
end $$;

-- What is there now, while others write. A statement sees the rows and their changes here as of one moment. What a
-- transaction writes that is not over by then comes on top: a trigger waits, when it is made, for all that write without.
with former as (delete from story_counts)
insert into story_counts
select workspace_id, team_id, column_id, draft, size, count(*) from stories where rejected_at is null
group by 1, 2, 3, 4, 5;
with former as (delete from pending_counts)
insert into pending_counts
select workspace_id, team_id, kind, count(*) from decisions where status = 'pending' group by 1, 2, 3;
with former as (delete from day_spend)
insert into day_spend
select workspace_id, team_id, date_trunc('day', at, 'UTC'), sum(euro_micros) from usage_ledger group by 1, 2, 3;

-- What is done is shown newest first.
create index concurrently if not exists stories_done
  on stories (workspace_id, team_id, column_id, updated_at desc) where rejected_at is null;
