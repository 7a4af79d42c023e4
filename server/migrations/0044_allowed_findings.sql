-- Kinds of findings about which nobody is asked before a change is merged. A policy from before asks about each of them.
alter table policies add column allowed_findings text[] not null default '{}';
