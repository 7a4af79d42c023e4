-- Facts that were looked for in by-products get rows of their own.

-- One stage of one attempt, given to whoever does the work. The number tells it from the orders before it.
create table work_orders (
  workspace_id uuid not null,
  run_id uuid not null,
  fence integer not null check (fence >= 0),
  attempt integer not null,
  stage text not null,
  state text not null check (state in ('offered', 'taken', 'ended')),
  -- Who has it; null while nobody has.
  holder text,
  -- Not heard of until then, it counts as lost.
  lease_until timestamptz not null,
  offered_at timestamptz not null,
  taken_at timestamptz,
  ended_at timestamptz,
  primary key (run_id, fence),
  foreign key (workspace_id, run_id, attempt) references attempts (workspace_id, run_id, attempt),
  check ((state = 'ended') = (ended_at is not null)),
  check (state <> 'taken' or num_nonnulls(holder, taken_at) = 2)
);
-- A run has one order at a time.
create unique index work_orders_open on work_orders (run_id) where state <> 'ended';

insert into work_orders (workspace_id, run_id, fence, attempt, stage, state, holder, lease_until, offered_at,
  taken_at, ended_at)
select e.workspace_id, e.run_id, (e.data ->> 'fence')::int, a.attempt, a.stage,
  case when o.is_open then case when e.done_at is null then 'offered' else 'taken' end else 'ended' end,
  case when e.done_at is not null then 'unknown' end,
  coalesce(r.wake_at, e.created_at), coalesce(case when o.is_open then r.ordered_at end, e.created_at), e.done_at,
  case when not o.is_open then coalesce(e.done_at, e.created_at) end
from effects e
join runs r on r.id = e.run_id
join attempts a on a.run_id = e.run_id and a.attempt = (e.data ->> 'attempt')::int
cross join lateral (select r.place = 'working' and r.fence = (e.data ->> 'fence')::int as is_open) as o
where e.kind = 'hand_out'
on conflict do nothing;

-- The lease is the order's now. A run at work is looked after by its order.
alter table runs drop column ordered_at;
alter table runs drop constraint runs_check1;
update runs set wake_at = null where place = 'working';
alter table runs add constraint runs_look_again
  check ((wake_at is not null) = (place in ('queued', 'merging', 'watching', 'reverting')));

-- What an answer led to, step by step.
create table decision_effects (
  workspace_id uuid not null,
  decision_id uuid not null,
  position integer not null,
  type text not null,
  status text not null check (status in ('done', 'queued', 'failed')),
  target_type text not null,
  target_id text not null,
  primary key (decision_id, position),
  foreign key (workspace_id, decision_id) references decisions (workspace_id, id)
);

insert into decision_effects (workspace_id, decision_id, position, type, status, target_type, target_id)
select d.workspace_id, d.id, one.position, one.effect ->> 'type', one.effect ->> 'status',
  one.effect -> 'target' ->> 'type', one.effect -> 'target' ->> 'id'
from audit_entries e
join decisions d on d.workspace_id = e.workspace_id and d.key = e.entry::json #>> '{entity,id}'
cross join lateral json_array_elements(e.entry::json -> 'details' -> 'effects')
  with ordinality as one (effect, position)
where e.event = 'decision_resolved'
on conflict do nothing;
