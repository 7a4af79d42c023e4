-- Decisions: where a person is needed.

create table decisions (
  id uuid primary key,
  workspace_id uuid not null,
  team_id uuid not null,
  story_id uuid,
  run_id uuid,
  key text not null check (key ~ '^dec-[a-z0-9]{4}$'),
  kind text not null check (kind in (
    'plan_approval', 'policy_exception', 'clarification', 'budget_stop', 'verification_failed', 'gate_failure',
    'diff_guard', 'repeated_gate_failure', 'merge_approval', 'revert_approval', 'main_red_incident',
    'maintenance_proposal', 'strategy_proposal', 'scope_change'
  )),
  authority text not null check (authority in ('owner', 'admin', 'member')),
  title text not null check (title <> ''),
  body text not null,
  status text not null check (status in ('pending', 'resolved', 'expired', 'cancelled', 'superseded')),
  -- [{id, label, action}]: raised with the decision, never changed, always read with it.
  options jsonb not null check (jsonb_array_length(options) between 2 and 4),
  recommendation text not null,
  resolution_option text,
  resolution_note text check (length(resolution_note) <= 4000),
  resolved_by uuid references people,
  resolved_via text check (resolved_via in ('app', 'slack', 'mcp', 'api')),
  resolved_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null,
  -- The decision as readers see it.
  wire text not null,
  unique (workspace_id, id),
  unique (workspace_id, key),
  foreign key (workspace_id, team_id) references teams (workspace_id, id),
  foreign key (workspace_id, story_id) references stories (workspace_id, id),
  foreign key (workspace_id, run_id) references runs (workspace_id, id),
  check ((status = 'resolved') = (num_nonnulls(resolution_option, resolved_via, resolved_at) = 3)),
  check (options @> jsonb_build_array(jsonb_build_object('id', recommendation))),
  check (resolution_option is null or options @> jsonb_build_array(jsonb_build_object('id', resolution_option)))
);
create index decisions_by_time on decisions (workspace_id, id desc);
create index decisions_by_status on decisions (workspace_id, status, id desc);
create index decisions_by_team on decisions (workspace_id, team_id, id desc);
create index decisions_by_story on decisions (workspace_id, story_id) where story_id is not null;
create index decisions_by_run on decisions (workspace_id, run_id, id desc) where run_id is not null;

-- Up to a page, a row is kept as it is: decompressing it would cost every read.
alter table decisions set (toast_tuple_target = 8160);

-- ISO 8601 in UTC with milliseconds, as every timestamp on the wire is written.
create function iso(moment timestamptz) returns text language sql immutable parallel safe as $$
  select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Rendered on the rare write instead of on every read; a page of decisions is then a row of texts.
-- Team slugs and run keys never change; the story's title does, and the trigger on stories below follows it.
create function render_decision() returns trigger language plpgsql as $$
begin
  select row_to_json(decision)::text into new.wire from (select
    new.key,
    new.kind,
    new.authority,
    new.title,
    new.body,
    new.status,
    new.recommendation,
    (
      select json_agg(row_to_json(option)) from (
        select o.value ->> 'id' as id, o.value ->> 'label' as label, o.value ->> 'action' as action,
          o.value ->> 'id' = new.recommendation as recommended
        from jsonb_array_elements(new.options) with ordinality as o
        order by o.ordinality
      ) as option
    ) as options,
    (select slug from teams where workspace_id = new.workspace_id and id = new.team_id) as team,
    (
      select row_to_json(story) from (
        select key, title from stories where workspace_id = new.workspace_id and id = new.story_id
      ) as story
    ) as story,
    (select key from runs where workspace_id = new.workspace_id and id = new.run_id) as "runKey",
    case when new.status = 'resolved' then
      json_build_object('optionId', new.resolution_option, 'note', new.resolution_note)
    end as resolution,
    new.resolved_via as "resolvedVia",
    iso(new.resolved_at) as "resolvedAt",
    iso(new.expires_at) as "expiresAt",
    iso(new.created_at) as "createdAt"
  ) as decision;
  return new;
end $$;

create trigger decisions_render before insert or update on decisions
  for each row execute function render_decision();

create function render_decisions_of_story() returns trigger language plpgsql as $$
begin
  update decisions set wire = wire where workspace_id = new.workspace_id and story_id = new.id;
  return null;
end $$;

create trigger stories_render_decisions after update of title on stories
  for each row when (old.title is distinct from new.title) execute function render_decisions_of_story();
