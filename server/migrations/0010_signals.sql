-- Services, the sources that feed them, what arrives, and the incidents it becomes.

-- Chat places of a team, where incidents are posted.
create table places (
  id uuid primary key,
  workspace_id uuid not null,
  team_id uuid not null,
  tool text not null check (tool in ('slack')),
  name text not null check (name <> ''),
  -- What the tool calls it.
  address text not null,
  created_at timestamptz not null,
  unique (workspace_id, id),
  unique (workspace_id, team_id, tool, address),
  foreign key (workspace_id, team_id) references teams (workspace_id, id)
);

create table services (
  id uuid primary key,
  workspace_id uuid not null,
  team_id uuid not null,
  name text not null check (name <> ''),
  -- What the service is built from: [{url, path}], in order.
  repositories jsonb not null default '[]',
  observe_only boolean not null default false,
  start_fixes boolean not null default false,
  update_alerts boolean not null default false,
  lowest_severity text not null default 'high' check (lowest_severity in ('critical', 'high', 'medium', 'low', 'info')),
  -- {days, start, end, timeZone}; null: always.
  hours jsonb,
  -- null: every place of the team.
  place_ids uuid[],
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  unique (workspace_id, id),
  foreign key (workspace_id, team_id) references teams (workspace_id, id)
);
-- Alerts name services, so two cannot share a name, whatever its case.
create unique index services_by_name on services (workspace_id, lower(name)) where deleted_at is null;

create table service_members (
  workspace_id uuid not null,
  service_id uuid not null,
  person_id uuid not null references people,
  primary key (workspace_id, service_id, person_id),
  foreign key (workspace_id, service_id) references services (workspace_id, id)
);

create table sources (
  id uuid primary key,
  workspace_id uuid not null references workspaces,
  kind text not null check (kind in (
    'generic', 'grafana', 'pagerduty', 'sentry', 'alertmanager', 'datadog', 'newrelic', 'opsgenie', 'cloudwatch',
    'azure_monitor', 'statuspage', 'uptime'
  )),
  name text not null check (name <> ''),
  -- Part of the address: at least 128 random bits. An address is no proof, so it can be shown again.
  token text not null unique check (length(token) >= 22),
  -- Encrypted; null where the kind needs none.
  secret bytea,
  -- During a rotation the former one is accepted besides.
  former_secret bytea,
  former_until timestamptz,
  -- What the kind needs besides: header names, the topic, the uptime check, where alerts are updated.
  settings jsonb not null default '{}',
  -- Encrypted; for acknowledging and resolving in the sender.
  credentials bytea,
  paused_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (workspace_id, id),
  check ((former_secret is null) = (former_until is null))
);
create index sources_by_workspace on sources (workspace_id, id desc) where deleted_at is null;
create index sources_of_uptime on sources (id) where kind = 'uptime' and deleted_at is null;

create table source_services (
  workspace_id uuid not null,
  source_id uuid not null,
  service_id uuid not null,
  primary key (workspace_id, source_id, service_id),
  foreign key (workspace_id, source_id) references sources (workspace_id, id),
  foreign key (workspace_id, service_id) references services (workspace_id, id)
);

-- What uptime checks have found so far. A source without a row has not been checked.
create table uptime_states (
  source_id uuid primary key,
  workspace_id uuid not null,
  -- When it is checked next. Whoever moves this ahead has taken the check.
  next_at timestamptz not null,
  status text not null check (status in ('up', 'down')),
  -- When it became that.
  changed_at timestamptz not null,
  -- Whether the intake surely knows the status. If not, it is told again, under the same id.
  told boolean not null,
  -- In a row; 0 when the last check was good.
  failures integer not null,
  failing_since timestamptz,
  last_at timestamptz,
  last_error text,
  foreign key (workspace_id, source_id) references sources (workspace_id, id),
  check ((failures = 0) = (failing_since is null))
);

-- What arrived and was accepted. Written before the sender gets its 202, understood right after.
create table deliveries (
  id uuid not null,
  workspace_id uuid not null,
  source_id uuid not null,
  received_at timestamptz not null,
  -- [ReadAlert]; read once, as it was written, so it is not taken apart.
  alerts json not null,
  test boolean not null,
  problem text,
  handshake jsonb,
  primary key (id)
) partition by range (id);
create index deliveries_by_source on deliveries (source_id, id desc);

-- Accepted, but not yet understood.
create table deliveries_waiting (
  workspace_id uuid not null,
  id uuid not null,
  primary key (workspace_id, id)
)
-- A queue: rows come and go with every delivery.
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Which deliveries have been seen: by the sender's own id of each, or by its timestamp and body.
create table delivery_keys (
  source_id uuid not null,
  key bytea not null,
  delivery_id uuid not null,
  received_at timestamptz not null,
  primary key (source_id, key)
);
create index delivery_keys_by_age on delivery_keys (received_at);

-- Requests that were refused, by source and hour and reason: for the person who sets it up.
create table refusals (
  source_id uuid not null,
  hour timestamptz not null,
  reason text not null,
  count integer not null,
  last_at timestamptz not null,
  primary key (source_id, hour, reason)
);

create table incidents (
  id uuid primary key,
  workspace_id uuid not null,
  service_id uuid not null,
  team_id uuid not null,
  key text not null check (key ~ '^inc-[a-z0-9]{4}$'),
  title text not null check (title <> ''),
  severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'info')),
  status text not null check (status in ('open', 'resolved')),
  -- What the investigation found: {outcome, confidence, evidence, suspect, summary}; null until it has.
  finding jsonb,
  opened_at timestamptz not null,
  resolved_at timestamptz,
  unique (workspace_id, id),
  unique (workspace_id, key),
  foreign key (workspace_id, service_id) references services (workspace_id, id),
  foreign key (workspace_id, team_id) references teams (workspace_id, id),
  check ((status = 'resolved') = (resolved_at is not null))
);
-- Alerts of a service join its open incident, so there is one at most.
create unique index incidents_open on incidents (workspace_id, service_id) where status = 'open';
create index incidents_by_time on incidents (workspace_id, id desc);
create index incidents_by_service on incidents (workspace_id, service_id, id desc);

-- One row for each alert of each source, as the newest delivery tells of it.
create table alerts (
  id uuid primary key,
  workspace_id uuid not null,
  source_id uuid not null,
  fingerprint text not null,
  title text not null,
  status text not null check (status in ('firing', 'resolved')),
  severity text not null check (severity in ('critical', 'high', 'medium', 'low', 'info')),
  service_id uuid,
  incident_id uuid,
  environment text,
  description text,
  labels jsonb not null,
  links jsonb not null,
  sender_id text,
  started_at timestamptz,
  ended_at timestamptz,
  -- The sender's time of the status it has now.
  occurred_at timestamptz not null,
  -- When it last recovered: a firing from before that is late, not new.
  recovered_at timestamptz,
  -- Deliveries that told of it.
  count integer not null,
  -- Why it opened no incident; null when it is in one.
  reason text,
  first_at timestamptz not null,
  last_at timestamptz not null,
  unique (source_id, fingerprint),
  foreign key (workspace_id, source_id) references sources (workspace_id, id),
  foreign key (workspace_id, service_id) references services (workspace_id, id),
  foreign key (workspace_id, incident_id) references incidents (workspace_id, id)
);
create index alerts_by_incident on alerts (incident_id) where incident_id is not null;
create index alerts_by_source on alerts (source_id, id desc);
-- An alert that is told of again changes no index and, with some room left, no other page.
alter table alerts set (fillfactor = 70);

-- What happened in an incident, in order.
create table incident_events (
  workspace_id uuid not null,
  incident_id uuid not null,
  seq integer not null check (seq > 0),
  at timestamptz not null,
  type text not null,
  text text not null,
  data jsonb not null default '{}',
  primary key (incident_id, seq),
  foreign key (workspace_id, incident_id) references incidents (workspace_id, id)
);

-- What members are told in the app.
create table notifications (
  id uuid primary key,
  workspace_id uuid not null,
  person_id uuid not null references people,
  incident_id uuid,
  title text not null,
  body text not null,
  created_at timestamptz not null,
  read_at timestamptz,
  foreign key (workspace_id, incident_id) references incidents (workspace_id, id)
);
create index notifications_by_person on notifications (workspace_id, person_id, id desc);

alter table proposals
  -- A revert that an investigation proposes is of no run, and is not to be proposed again either.
  drop constraint proposals_kind_check,
  add constraint proposals_kind_check check (kind in (
    'maintenance_proposal', 'strategy_proposal', 'main_red_incident', 'revert_approval'
  )),
  add column incident_id uuid,
  add foreign key (workspace_id, incident_id) references incidents (workspace_id, id);
alter table decisions
  add column incident_id uuid,
  add foreign key (workspace_id, incident_id) references incidents (workspace_id, id);

-- Deliveries are kept by the month, as audit entries are.
create function prepare_delivery_months(until date) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  month date;
begin
  perform pg_advisory_xact_lock(4403);
  select coalesce(
    max(to_date(right(c.relname, 7), 'YYYY_MM')) + interval '1 month',
    date_trunc('month', now() at time zone 'UTC'))
  into month
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'deliveries'::regclass and c.relname ~ '_\d{4}_\d{2}$';

  while month <= until loop
    execute format(
      'create table %I partition of deliveries for values from (%L) to (%L)',
      'deliveries_' || to_char(month, 'YYYY_MM'), first_id_of(month), first_id_of((month + interval '1 month')::date));
    month := month + interval '1 month';
  end loop;
end $$;

do $$ begin
  execute format('create table deliveries_before partition of deliveries for values from (minvalue) to (%L)',
    first_id_of(date_trunc('month', now() at time zone 'UTC')::date));
end $$;
select prepare_delivery_months(current_date + 92);
