-- Who is told of an incident, in which way, and what became of it. It was read from the keys of the outbox.
create table tellings (
  id uuid primary key,
  workspace_id uuid not null,
  incident_id uuid not null,
  what text not null check (what in ('opened', 'found', 'resolved')),
  -- A member, by mail; or a place, by a post.
  person_id uuid references people,
  place_id uuid,
  -- Carries it out, and knows how often that was tried.
  effect_id uuid not null unique references effects,
  -- skipped: nobody is there to be mailed, or nothing to mail with.
  state text not null check (state in ('waiting', 'sent', 'refused', 'skipped')),
  -- Why it was refused.
  reason text,
  created_at timestamptz not null,
  settled_at timestamptz,
  foreign key (workspace_id, incident_id) references incidents (workspace_id, id),
  check (num_nonnulls(person_id, place_id) = 1),
  check ((state = 'waiting') = (settled_at is null))
);
create index tellings_of_incident on tellings (workspace_id, incident_id, created_at);

insert into tellings (id, workspace_id, incident_id, what, person_id, place_id, effect_id, state, reason, created_at,
  settled_at)
select e.id, e.workspace_id, (e.data ->> 'incident')::uuid, e.data ->> 'what', (e.data ->> 'person')::uuid,
  (e.data ->> 'place')::uuid, e.id,
  case when e.done_at is null then 'waiting' when mailed.sent = 'false' then 'refused'
    when mailed.sent = 'true' or e.kind = 'post_incident' then 'sent' else 'skipped' end,
  case when e.done_at is not null then mailed.reason end, e.created_at, e.done_at
from effects e
left join lateral (
  select v.data ->> 'sent' as sent, v.data ->> 'reason' as reason from incident_events v
  where v.incident_id = (e.data ->> 'incident')::uuid and v.type = 'mailed' and v.data ->> 'key' = e.key
  limit 1
) as mailed on true
where e.kind in ('mail_member', 'post_incident');
