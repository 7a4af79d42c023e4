import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import type { IncidentListed } from '@signalbox/contract/incident.ts'
import type { OnCallHours, Repository } from '@signalbox/contract/service.ts'
import type { Severity } from '@signalbox/contract/signal.ts'
import { read, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, readsApart, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type { Rendered } from '../../page.ts'
import type { Finding } from './finding.ts'
import type * as Sql from './store.types.ts'

/** A service as incidents need it. */
export interface WatchedService {
  id: string
  name: string
  team: { id: string; slug: string }
  lowestSeverity: Severity
  hours: OnCallHours | null
}

export const selectWatched = reads.many<Sql.SelectWatched, WatchedService>('workspaceId, ids')(`
  select s.id, s.name, json_build_object('id', t.id, 'slug', t.slug) as team,
    s.lowest_severity as "lowestSeverity", s.hours
  from services s
  join teams t on t.workspace_id = s.workspace_id and t.id = s.team_id
  where s.workspace_id = :workspaceId and s.id = any(:ids::uuid[])`)

export interface OpenIncident {
  id: string
  key: string
  serviceId: string
  title: string
  severity: Severity
  worstAlert: Severity
  /** How many of its alerts are firing. */
  firing: number
  /** Number of the newest step of its timeline. */
  lastStep: number
}

const lockOpen = statement<Sql.LockOpen>(`
  select from incidents
  where workspace_id = :workspaceId and status = 'open' and service_id = any(:serviceIds::uuid[])
  order by id
  for no key update`)

const open = statement<Sql.Open, OpenIncident>(`
  select i.id, i.key, i.service_id as "serviceId", i.title, i.severity, i.worst_alert as "worstAlert",
    (select count(*)::int from alerts a where a.incident_id = i.id and a.status = 'firing') as firing,
    (select coalesce(max(seq), 0) from incident_events e where e.incident_id = i.id) as "lastStep"
  from incidents i
  where i.workspace_id = :workspaceId and i.status = 'open' and i.service_id = any(:serviceIds::uuid[])`)

/**
 * Locks in one statement and reads in another: after waiting for a lock, a single statement would return the current
 * incident but its steps as of when the statement began, and an investigation may have added some since.
 */
export async function lockOpenIncidents(
  tx: Tx,
  workspaceId: string,
  serviceIds: string[],
): Promise<readonly OpenIncident[]> {
  await write(tx, lockOpen, { workspaceId, serviceIds })
  return read(tx, open, { workspaceId, serviceIds })
}

const insertIncidentSql = statement<Sql.InsertIncident>(`
  insert into incidents (id, workspace_id, key, service_id, team_id, title, severity, worst_alert, status, opened_at,
    resolved_at)
  values (:id, :workspaceId, :key, :serviceId, :teamId, :title, :severity, :worstAlert, :status, :openedAt,
    :resolvedAt?)`)

export async function insertIncident(
  tx: Tx,
  workspaceId: string,
  incident: {
    id: string
    key: string
    serviceId: string
    teamId: string
    title: string
    severity: Severity
    worstAlert: Severity
    openedAt: Date
    resolvedAt: Date | null
  },
): Promise<void> {
  await write(
    tx,
    insertIncidentSql,
    handedIn({ ...incident, workspaceId, status: incident.resolvedAt ? 'resolved' : 'open' }),
  )
}

const updateIncidentSql = statement<Sql.UpdateIncident>(`
  update incidents set severity = :severity, worst_alert = :worstAlert,
    status = :status, resolved_at = :resolvedAt?
  where workspace_id = :workspaceId and id = :id`)

export async function updateIncident(
  tx: Tx,
  workspaceId: string,
  id: string,
  {
    severity,
    worstAlert,
    resolvedAt,
  }: Pick<OpenIncident, 'severity' | 'worstAlert'> & { resolvedAt: Date | null },
): Promise<void> {
  await write(tx, updateIncidentSql, {
    workspaceId,
    severity,
    worstAlert,
    status: resolvedAt ? 'resolved' : 'open',
    resolvedAt,
    id,
  })
}

/** An incident as a person who acts on it finds it. It names who was first. */
export interface HandledIncident {
  id: string
  key: string
  title: string
  severity: Severity
  status: 'open' | 'resolved'
  service: { id: string; name: string }
  team: string
  acknowledged: Act | null
  assignee: (Act & { id: string }) | null
  severityChanged: Act | null
  /** `by` is null when every alert has recovered. */
  resolved: { by: string | null; at: string } | null
}

/** Who did it, and when. */
export interface Act {
  by: string
  at: string
}

export const selectHandled = reads.one<Sql.SelectHandled, HandledIncident>('workspaceId, id')(`
  select i.id, i.key, i.title, i.severity, i.status, t.slug as team,
    json_build_object('id', s.id, 'name', s.name) as service,
    case when i.acknowledged_at is not null then
      json_build_object('by', k.name, 'at', iso(i.acknowledged_at)) end as acknowledged,
    case when i.assigned_at is not null then
      json_build_object('id', a.id, 'by', a.name, 'at', iso(i.assigned_at)) end as assignee,
    case when i.resolved_at is not null then
      json_build_object('by', r.name, 'at', iso(i.resolved_at)) end as resolved,
    (select json_build_object('by', e.data ->> 'by', 'at', iso(e.at)) from incident_events e
     where e.incident_id = i.id and e.type = 'severity_changed' order by e.seq desc limit 1) as "severityChanged"
  from incidents i
  join services s on s.workspace_id = i.workspace_id and s.id = i.service_id
  join teams t on t.workspace_id = i.workspace_id and t.id = i.team_id
  left join people k on k.id = i.acknowledged_by
  left join people a on a.id = i.assignee_id
  left join people r on r.id = i.resolved_by
  where i.workspace_id = :workspaceId and i.id = :id`)

/** What a person does about an incident that is held. */
export const updateHandled = writes.run<Sql.UpdateHandled>('workspaceId, id, ...set')(`
  update incidents set id = id
    [[, severity = :severity]] [[, acknowledged_by = :acknowledgedBy, acknowledged_at = :acknowledgedAt]]
    [[, assignee_id = :assigneeId, assigned_at = :assignedAt]]
    [[, status = :status, resolved_at = :resolvedAt, resolved_by = :resolvedBy, resolved_reason = :resolvedReason?]]
  where workspace_id = :workspaceId and id = :id`)

/** An incident as messages report it. */
export interface IncidentSummary {
  key: string
  title: string
  severity: Severity
  finding: Pick<Finding, 'outcome' | 'confidence' | 'evidence' | 'summary'> | null
  openedAt: Date
  resolvedAt: Date | null
  service: string
  team: string
  workspace: string
  /** Name of the person who has taken it. */
  assignee: string | null
  acknowledgedBy: string | null
  resolution: { by: string; reason: string } | null
  /** The first ten. */
  alerts: readonly { title: string; links: readonly { label: string; url: string }[] }[]
  alertCount: number
  /** Names of those who are notified. */
  members: readonly string[]
}

export const selectIncidentSummary = reads.one<Sql.SelectIncidentSummary, IncidentSummary>(
  'workspaceId, id',
)(`
  select i.key, i.title, i.severity, i.finding, i.opened_at as "openedAt", i.resolved_at as "resolvedAt",
    s.name as service, t.slug as team, w.slug as workspace, a.name as assignee,
    k.name as "acknowledgedBy", case when r.id is not null then json_build_object('by', r.name, 'reason', i.resolved_reason) end as resolution,
    coalesce((
      select json_agg(json_build_object('title', first.title, 'links', first.links) order by first.id)
      from (select id, title, links from alerts_of_incidents a where a.incident_id = i.id order by a.id limit 10) first
    ), '[]'::json) as alerts,
    (select count(*)::int from alerts_of_incidents a where a.incident_id = i.id) as "alertCount",
    array(
      select p.name from service_members m
      join memberships using (workspace_id, person_id)
      join people p on p.id = m.person_id
      where m.workspace_id = i.workspace_id and m.service_id = i.service_id
      order by p.name collate "und-x-icu", p.id
    ) as members
  from incidents i
  join services s on s.workspace_id = i.workspace_id and s.id = i.service_id
  join teams t on t.workspace_id = i.workspace_id and t.id = i.team_id
  join workspaces w on w.id = i.workspace_id and w.deleted_at is null
  left join people a on a.id = i.assignee_id
  left join people k on k.id = i.acknowledged_by
  left join people r on r.id = i.resolved_by
  where i.workspace_id = :workspaceId and i.id = :id`)

/** An incident as the investigation needs it. */
export interface InvestigatedIncident {
  id: string
  key: string
  title: string
  severity: Severity
  openedAt: Date
  finding: Finding | null
  service: {
    id: string
    name: string
    repositories: Repository[]
    /** Also true when the service is deleted: an incident that no one watches is only observed. */
    observeOnly: boolean
    startFixes: boolean
  }
  team: { id: string; slug: string }
}

export const selectInvestigated = reads.one<Sql.SelectInvestigated, InvestigatedIncident>('workspaceId, id')(`
  select i.id, i.key, i.title, i.severity, i.opened_at as "openedAt", i.finding,
    json_build_object('id', s.id, 'name', s.name, 'repositories', s.repositories,
      'observeOnly', s.observe_only or s.deleted_at is not null, 'startFixes', s.start_fixes) as service,
    json_build_object('id', t.id, 'slug', t.slug) as team
  from incidents i
  join services s on s.workspace_id = i.workspace_id and s.id = i.service_id
  join teams t on t.workspace_id = i.workspace_id and t.id = i.team_id
  where i.workspace_id = :workspaceId and i.id = :id`)

/** False when there is a finding already. */
export const insertFinding = writes.wroteOne<Sql.InsertFinding, Nothing, { finding: unknown }>(
  'workspaceId, id, finding',
)(`
  update incidents set finding = :{finding}
  where workspace_id = :workspaceId and id = :id and finding is null`)

/**
 * What is already under way for another incident of the service with the same title: an unanswered question, or the
 * story of a fix that is not done.
 */
export const selectUnderWay = reads.value<Sql.SelectUnderWay>('workspaceId, incidentId')(`
  with alike as (
    select other.id from incidents i
    join incidents other on other.workspace_id = i.workspace_id and other.service_id = i.service_id
      and other.title = i.title and other.id <> i.id
    where i.workspace_id = :workspaceId and i.id = :incidentId
    order by other.id desc
    limit 100
  )
  select d.key from decisions d
  where d.workspace_id = :workspaceId and d.status = 'pending' and d.kind = 'maintenance_proposal'
    and d.incident_id in (select id from alike)
  union all
  select s.key from incident_events e
  join stories s on s.workspace_id = e.workspace_id and s.key = e.data ->> 'story' and s.rejected_at is null
  join columns c on c.workspace_id = s.workspace_id and c.id = s.column_id and c.role <> 'done'
  where e.incident_id in (select id from alike) and e.type = 'fix_started'
  limit 1`)

/**
 * What was answered about alerts of the same service, newest first. `expedite` tells a fix of the code from what only
 * people may touch: to decline one declines not the other.
 */
export const selectAnsweredBefore = reads.many<Sql.SelectAnsweredBefore>('workspaceId, ...about')(`
  select d.key as decision, o.status, p.name as by, d.resolved_at as "at!", o.alert_fingerprints as "alertFingerprints"
  from incidents i
  join proposals o on o.workspace_id = i.workspace_id and o.team_id = i.team_id and o.kind = 'maintenance_proposal'
    and o.status in ('declined', 'accepted') and o.alert_fingerprints && :fingerprints::text[]
  join incidents other on other.workspace_id = o.workspace_id and other.id = o.incident_id
    and other.service_id = i.service_id
  join decisions d on d.workspace_id = o.workspace_id and d.incident_id = o.incident_id and d.proposal_id = o.id
  left join people p on p.id = d.resolved_by
  where i.workspace_id = :workspaceId and i.id = :incidentId and (d.facts ->> 'expedite')::boolean = :expedite
  order by d.resolved_at desc
  limit 100`)

/** The question about a fix that no one has answered yet. */
export const selectPendingQuestion = reads.value<Sql.SelectPendingQuestion>('workspaceId, incidentId')(`
  select key from decisions
  where workspace_id = :workspaceId and incident_id = :incidentId and kind = 'maintenance_proposal'
    and status = 'pending'
  limit 1`)

/** The team that is still asked to look at a cause outside the code; undefined when none is. */
export const selectMootTeam = reads.one<Sql.SelectMootTeam>('workspaceId, incidentId')(`
  select t.id, t.slug
  from incidents i
  join decisions d on d.workspace_id = i.workspace_id and d.incident_id = i.id
  join teams t on t.workspace_id = d.workspace_id and t.id = d.team_id
  where i.workspace_id = :workspaceId and i.id = :incidentId and i.finding ->> 'outcome' = 'not_code'
    and d.kind = 'maintenance_proposal' and d.status = 'pending'`)

const listedIncident = `
  i.key, i.title, i.severity, i.status,
  json_build_object('id', v.id, 'name', v.name) as service,
  t.slug as team,
  case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end as assignee,
  case when k.id is not null then json_build_object('by', k.name, 'at', iso(i.acknowledged_at)) end as acknowledged,
  (select count(*) from alerts_of_incidents a where a.incident_id = i.id) as alerts,
  iso(i.opened_at) as "openedAt", iso(i.resolved_at) as "resolvedAt"
`
const incidentSource = `
  incidents i
  join services v on v.workspace_id = i.workspace_id and v.id = i.service_id
  join teams t on t.workspace_id = i.workspace_id and t.id = i.team_id
  left join people p on p.id = i.assignee_id
  left join people k on k.id = i.acknowledged_by
`

export const selectIncidents = reads.many<
  Sql.SelectIncidents,
  Rendered<IncidentListed>,
  { status?: 'open' | 'resolved'; severity?: Severity }
>('workspaceId, { status, service, severity }, { after, rows }')(`
  select i.id, (select row_to_json(incident) from (select ${listedIncident}) as incident)::text as json
  from ${incidentSource}
  where i.workspace_id = :workspaceId [[and i.status = :status]] [[and i.service_id = :service]]
    and not i.hidden [[and i.severity = :severity]] [[and i.id < :after]]
  order by i.id desc
  limit #rows`)

export const selectOpenCount = reads.onlyValue<Sql.SelectOpenCount>('workspaceId')(`
  select count(*)::int as open from incidents where workspace_id = :workspaceId and status = 'open'`)

/** A service as a preview needs it, with the incident that is open on it. */
export type PreviewedService = Pick<WatchedService, 'lowestSeverity' | 'hours'> & {
  observeOnly: boolean
  openIncident: string | null
}

export const selectPreviewed = reads.one<Sql.SelectPreviewed, PreviewedService>('workspaceId, id')(`
  select s.lowest_severity as "lowestSeverity", s.hours, s.observe_only as "observeOnly",
    (select i.key from incidents i
     where i.workspace_id = s.workspace_id and i.service_id = s.id and i.status = 'open') as "openIncident"
  from services s
  where s.workspace_id = :workspaceId and s.id = :id and s.deleted_at is null`)

export const selectIncidentId = reads.value<Sql.SelectIncidentId>('workspaceId, key')(`
  select id from incidents where workspace_id = :workspaceId and key = :key`)

/** Stories that were filed for it: the steps name them. */
const filed = `select distinct e.data ->> 'story' from incident_events e where e.incident_id = i.id and e.data ? 'story'`

/** Without what other rooms keep. */
type StoredIncidentPage = Omit<IncidentPage, 'alertList' | 'tellings'>

/** An incident as its page shows it. */
export const selectIncidentPage = reads.one<Sql.SelectIncidentPage, Rendered<StoredIncidentPage>>(
  'workspaceId, key',
)(`
  select i.id, (select row_to_json(incident) from (select ${listedIncident}, i.finding,
    v.observe_only as "observeOnly", v.deleted_at is not null as "serviceDeleted",
    (select json_build_object('by', r.name, 'reason', i.resolved_reason) from people r where r.id = i.resolved_by)
      as resolution,
    (select json_build_object('decision', d.key, 'by', q.name, 'at', iso(d.resolved_at))
     from decisions d
     join proposals o on o.workspace_id = d.workspace_id and o.id = d.proposal_id
     left join people q on q.id = d.resolved_by
     where d.workspace_id = i.workspace_id and o.status = 'declined' and o.kind = 'maintenance_proposal'
       and (d.incident_id = i.id or d.key = (
         select e.data ->> 'decision' from incident_events e
         where e.incident_id = i.id and e.type = 'declined_before' order by e.seq desc limit 1))
     order by d.resolved_at desc limit 1) as declined,
    (select coalesce(json_agg(row_to_json(event)), '[]') from (
      select iso(at) as at, type, text, data ->> 'by' as by, data ->> 'decision' as decision, data ->> 'story' as story
      from incident_events where incident_id = i.id order by seq
    ) as event) as timeline,
    (select coalesce(json_agg(row_to_json(decision)), '[]') from (
      select d.key, d.kind, d.title, d.status, p.name as by,
        (select o ->> 'label' from jsonb_array_elements(d.options) o where o ->> 'id' = d.resolution_option) as answer,
        iso(d.created_at) as "createdAt", iso(d.resolved_at) as "resolvedAt"
      from decisions d
      left join people p on p.id = d.resolved_by
      where d.workspace_id = i.workspace_id and d.incident_id = i.id order by d.id desc
    ) as decision) as decisions,
    (select coalesce(json_agg(row_to_json(story)), '[]') from (
      select s.key, s.title, c.name as column from stories s
      join columns c on c.workspace_id = s.workspace_id and c.id = s.column_id
      where s.workspace_id = i.workspace_id and s.key in (${filed}) order by s.id
    ) as story) as stories,
    (select coalesce(json_agg(row_to_json(run)), '[]') from (
      select r.key, s.key as story, r.phase from runs r
      join stories s on s.workspace_id = r.workspace_id and s.id = r.story_id
      -- Each way along an index; as one condition over both tables it would read every run.
      where r.id in (
        select theirs.id from runs theirs join stories f on f.workspace_id = theirs.workspace_id and f.id = theirs.story_id
        where f.workspace_id = i.workspace_id and f.key in (${filed})
        union all
        select suspect.id from runs suspect
        where suspect.workspace_id = i.workspace_id and suspect.key = i.finding -> 'suspect' ->> 'run'
      )
      order by r.id
    ) as run) as runs
  ) as incident)::text as json
  from ${incidentSource}
  where i.workspace_id = :workspaceId and i.key = :key`)

/** When an incident was open. */
export const selectOpenTime = reads.one<Sql.SelectOpenTime>('workspaceId, key')(`
  select id, opened_at as "openedAt", resolved_at as "resolvedAt"
  from incidents where workspace_id = :workspaceId and key = :key`)

/**
 * How often its alerts were reported as firing, in so many parts of that time, and how many deliveries were looked
 * through: the newest of each source, since one in a storm may have brought any number.
 */
export const selectAlertActivity = readsApart.many<Sql.SelectAlertActivity>(
  'workspaceId, incidentId, { from, to, fromId, toId, parts, most }',
)(`
  with its as (
    select distinct source_id, fingerprint from alerts_of_incidents
    where workspace_id = :workspaceId and incident_id = :incidentId
  ), delivered as (
    select d.* from (select distinct source_id from its) s
    cross join lateral (
      select d.source_id, d.received_at, d.alerts from deliveries d
      where d.source_id = s.source_id and d.workspace_id = :workspaceId and d.id >= :fromId and d.id < :toId
      order by d.id desc limit :most
    ) d
  )
  select least(:parts::int, width_bucket(d.received_at, array(
      select :from::timestamptz + (:to::timestamptz - :from::timestamptz) * part / :parts::int
      from generate_series(0, :parts::int - 1) part
    ))) as "part!",
    count(*)::int as "count!"
  from delivered d
  cross join json_array_elements(d.alerts) a
  where a ->> 'status' = 'firing'
    and (d.source_id, a ->> 'fingerprint') in (select its.source_id, its.fingerprint from its)
  group by 1
  union all
  select 0, max(n)::int from (select count(*) as n from delivered group by source_id) as counted having max(n) >= :most`)
