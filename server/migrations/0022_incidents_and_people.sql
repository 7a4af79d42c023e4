-- What people do about an incident.
alter table incidents
  add column acknowledged_by uuid references people,
  add column acknowledged_at timestamptz,
  -- Who has taken it.
  add column assignee_id uuid references people,
  add column assigned_at timestamptz,
  -- Who resolved it by hand, and why; null when every alert recovered.
  add column resolved_by uuid references people,
  add column resolved_reason text,
  -- The highest severity of its alerts. A person may have set another one for the incident.
  add column worst_alert text;
update incidents set worst_alert = severity;
alter table incidents
  alter column worst_alert set not null,
  add check (worst_alert in ('critical', 'high', 'medium', 'low', 'info')),
  add check ((acknowledged_by is null) = (acknowledged_at is null)),
  add check ((assignee_id is null) = (assigned_at is null)),
  add check ((resolved_by is null) = (resolved_reason is null)),
  add check (resolved_by is null or status = 'resolved');

-- What people did is posted too.
alter table tellings
  drop constraint tellings_what_check,
  add constraint tellings_what_check check (what in ('opened', 'found', 'updated', 'resolved'));

-- The alerts that a proposal on an incident is about: declined, it is not made again for the same ones.
alter table proposals add column alert_fingerprints text[] not null default '{}';
update proposals p
set alert_fingerprints = array(select distinct a.fingerprint from alerts a where a.incident_id = p.incident_id)
where p.incident_id is not null and p.kind = 'maintenance_proposal';

-- The person in whose name it is done, and the way in they used; null where nobody asked for it.
alter table effects
  add column ordered_by uuid references people,
  add column ordered_through text,
  add check ((ordered_by is null) = (ordered_through is null));
