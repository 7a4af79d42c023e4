-- How far the write-ahead log had come when somebody's last write was committed, in bytes: a replica that has replayed
-- as much shows it. Written only by nodes that read from a replica.
--
-- Unlogged: after a crash or a failover it is empty. So it is used only with a row of its own, under the id of nobody
-- (zeros): whoever misses that row adds it, with the position of that moment, and it counts for everyone.
create unlogged table last_writes (
  person_id uuid primary key,
  position bigint not null
) with (fillfactor = 50);
