-- What the nodes of one installation agree on.

create table nodes (
  id uuid primary key,
  started_at timestamptz not null default now(),
  lease_until timestamptz not null,
  -- The newest invalidation this node has applied to its caches.
  applied bigint not null
);

-- Counts the changes that make a cached token untrue: revocations, removed or changed members, deleted workspaces.
create table invalidations (
  only_row boolean primary key default true check (only_row),
  sequence bigint not null
);
insert into invalidations (sequence) values (0);

-- Request windows, shared while more than one node is alive. Unlogged: a crash may forget a minute.
create unlogged table rate_windows (
  token_id uuid primary key,
  used integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);
