-- What workers print while they do a run, and where a run stood after each of its events.

-- Null for events that moved nothing, and for those from before this was written down.
alter table run_events
  add column place text,
  add column stage text,
  add column attempt integer;

-- Where the log of a run ends. Whoever adds to the log holds this row, so that its lines are numbered without a gap.
create table run_log_ends (
  run_id uuid primary key,
  workspace_id uuid not null,
  lines integer not null,
  bytes bigint not null,
  -- The work order and its chunk that were written last; a chunk that arrives twice is written once.
  fence integer not null,
  chunk integer not null,
  -- The log has reached its limit; its last line says so.
  is_full boolean not null,
  foreign key (workspace_id, run_id) references runs (workspace_id, id)
);

-- One row a line: a line has a number that can be linked to, and reading on from one is a walk along the index. The
-- row above vouches for the run, so that thousands of lines a second need not each look it up.
create table run_log (
  workspace_id uuid not null,
  run_id uuid not null,
  position integer not null check (position > 0),
  attempt integer not null,
  at timestamptz not null,
  text text not null,
  primary key (run_id, position)
);

create index runs_by_place on runs (workspace_id, place, id desc);
create index attempts_by_failure on attempts (workspace_id, failure_class, run_id) where failure_class is not null;
