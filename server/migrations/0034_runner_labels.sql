-- A team can ask for runners with certain labels; an order then goes only to a runner that has all of them.
alter table policies add column runner_labels text[] not null default '{}';
alter table work_orders add column labels text[] not null default '{}';
