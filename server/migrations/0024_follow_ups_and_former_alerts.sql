-- What an attempt to sign in that failed, or a request for a link, leaves to be done after its answer. Neither may show
-- whether the address is known, so both leave a row, without a person where nobody is known.
create table sign_in_follow_ups (
  id uuid primary key,
  -- No reference: checking it takes time, and only for somebody known.
  person_id uuid,
  -- With what it was tried; null for a link to reset a password.
  method text,
  request_id text not null,
  at timestamptz not null,
  due_at timestamptz not null
);

-- An alert that fires again after its incident was resolved belongs to another one. This is how the former one knew it:
-- a column that alerts get later, this gets too, and so does the view.
create table former_alerts (
  like alerts,
  primary key (incident_id, id),
  foreign key (workspace_id, incident_id) references incidents (workspace_id, id),
  foreign key (workspace_id, source_id) references sources (workspace_id, id),
  foreign key (workspace_id, service_id) references services (workspace_id, id)
);

create view alerts_of_incidents as
  select * from alerts where incident_id is not null
  union all
  select * from former_alerts f
  where not exists (select from alerts a where a.id = f.id and a.incident_id = f.incident_id);
