-- A policy can demand that agents run on a kernel of their own.
alter table policies drop constraint policies_isolation_check;
alter table policies add constraint policies_isolation_check check (isolation in ('none', 'process', 'box', 'gvisor'));
alter table work_orders drop constraint work_orders_isolation_check;
alter table work_orders add constraint work_orders_isolation_check check (isolation in ('none', 'process', 'box', 'gvisor'));
