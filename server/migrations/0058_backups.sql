-- Backups that were made or tried, so that everyone can tell how old the last good one is.
create table backups (
  id uuid primary key,
  cause text not null check (cause in ('schedule', 'operator')),
  begun_at timestamptz not null,
  ended_at timestamptz,
  -- As of when the data in it is; null: it did not succeed, or has not yet.
  taken_at timestamptz,
  -- Where it is; null: it was written to standard output.
  place text,
  encrypted boolean not null,
  bytes bigint,
  rows bigint,
  error text,
  check (ended_at is not null or num_nonnulls(taken_at, bytes, rows, error) = 0)
);
create index backups_by_time on backups (begun_at);
