-- Who paused a team and why, and who made a version of a policy and why, were looked up in the audit log.

alter table teams
  -- The name at that time, of a person or of whoever else acts.
  add column paused_by text,
  add column pause_reason text;

update teams t
set paused_by = e.entry -> 'actor' ->> 'name', pause_reason = e.entry -> 'details' ->> 'reason'
from (
  select distinct on (workspace_id, team) workspace_id, team, entry::json as entry
  from audit_entries
  where event = 'team_paused'
  order by workspace_id, team, id desc
) as e
where e.workspace_id = t.workspace_id and e.team = t.slug and t.paused_at is not null;

alter table teams add check (paused_at is not null or paused_by is null and pause_reason is null);

alter table policies
  add column created_by text,
  add column reason text;

update policies p
set created_by = e.entry -> 'actor' ->> 'name', reason = e.entry -> 'details' ->> 'reason'
from (
  select distinct on (workspace_id, team, version) *
  from (
    select id, workspace_id, team, entry::json as entry, (entry::json -> 'details' ->> 'version')::int as version
    from audit_entries
    where event = 'policy_changed'
  ) as changed
  order by workspace_id, team, version, id desc
) as e
join teams t on t.workspace_id = e.workspace_id and t.slug = e.team
where p.workspace_id = t.workspace_id and p.team_id = t.id and p.version = e.version;
