-- online
-- Whether orders still name a runner, for those that go when they are old: a fleet has one for each order.
create index concurrently if not exists work_orders_by_runner on work_orders (workspace_id, runner_id)
  where runner_id is not null;
