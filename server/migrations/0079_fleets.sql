-- online
-- formerly: bbecae61051e8e7b4ac8e514a01a6b089e04d45d7f2f7881f04a181f2cb77662

-- Runners that were there for one order and have left stay on record. Those that are still of interest are found
-- without them, however many there were.
create index concurrently if not exists runners_listed on runners (workspace_id)
  where state <> 'removed' and (left_at is null or not ('ephemeral' = any(features)));
