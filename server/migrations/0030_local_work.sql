-- A person works on a story on their own machine, with a coding agent of their own.

alter table work_orders
  -- Who has it, where it is a person; such an order was never offered to anybody.
  add column person_id uuid references people,
  add check (person_id is null or num_nonnulls(runner_id, offered_until) = 0),
  drop constraint work_orders_job_check,
  add constraint work_orders_job_check check (job in ('stage', 'main_check', 'adopt'));

-- Who began an attempt, and what they have said of it. None of it is proven.
create table local_work (
  workspace_id uuid not null,
  run_id uuid not null,
  attempt integer not null,
  person_id uuid not null references people,
  -- As the coding agent calls itself; null: it did not say.
  agent text,
  begun_at timestamptz not null,
  -- The latest report of progress.
  progress jsonb,
  evidence jsonb,
  handed_off jsonb,
  primary key (workspace_id, run_id, attempt),
  foreign key (workspace_id, run_id, attempt) references attempts (workspace_id, run_id, attempt)
);

-- How a story is going to be tested, beside what it is measured by.
alter table stories add column test_plan text;
