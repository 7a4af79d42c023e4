import type {
  DecisionCount,
  DecisionInFull,
  DecisionPage,
  DecisionRow,
  Precedent,
} from '@signalbox/contract/app/decisions.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import type { Evidence } from '@signalbox/contract/run.ts'
import { type Json, withFields } from '@signalbox/contract/shapes.ts'
import { type Db, read } from '../../../infra/db/db.ts'
import { reads, readsApart, writes } from '../../../infra/db/queries.ts'
import { RememberedRead, signatureOf } from '../../../infra/db/remembered.ts'
import { statement } from '../../../infra/db/statement.ts'
import { type Page, type PageRequest, pageFrom, type Rendered, rowsFor } from '../../page.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import type * as Sql from './store.types.ts'

export interface DecisionFilter {
  status?: Decision['status'] | undefined
  team?: string | undefined
  run?: string | undefined
}

const matching = `
  where d.workspace_id = :workspaceId and not d.hidden
    [[and d.status = :status]]
    [[and d.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)]]
    [[and d.run_id = (select id from runs where workspace_id = :workspaceId and key = :run)]]
    [[and d.id < :after]]
  order by d.id desc
  limit #rows
`

const laterPage = statement<Sql.LaterPage, Rendered<Decision>>(
  `select d.id, d.wire as json from decisions d ${matching}`,
)

/** What programs ask for again and again while people decide, mostly to find nothing new. */
const newestVersions = statement<Sql.NewestVersions>(
  signatureOf(`select d.key, d.xmin::text as version from decisions d ${matching}`),
)
const newestRows = statement<Sql.NewestRows, Rendered<Decision>>(
  `select d.id, d.wire as json, d.key, d.xmin::text as version from decisions d ${matching}`,
)
const newest = new RememberedRead<Page<Decision>, Sql.NewestRows['parameters'], typeof newestRows.row>(
  newestVersions,
  newestRows,
)

export async function selectDecisions(
  db: Db,
  workspaceId: string,
  { status, team, run }: DecisionFilter,
  page: PageRequest,
): Promise<Page<Decision>> {
  const parameters = { workspaceId, status, team, run, after: page.after, rows: rowsFor(page) }
  // Later pages are read once as someone pages through the list, so only the first is remembered.
  return page.after === null
    ? newest.read(db, parameters, page.limit, (rows) => pageFrom(rows, page))
    : pageFrom(await read(db, laterPage, parameters), page)
}

export const selectDecision = reads.one<Sql.SelectDecision, Rendered<Decision>>('workspaceId, key')(`
  select d.id, d.wire as json
  from decisions d
  where d.workspace_id = :workspaceId and d.key = :key`)

export interface DecisionRowFilter extends DecisionFilter {
  kind?: Decision['kind'] | undefined
  snoozed?: boolean | undefined
}

/** Put off by a person, and neither is its time over nor has it changed since. */
const isAsleep = `d.status = 'pending' and z.until > :now and z.seen = md5(d.wire)`

const cost = `(
    select sum(cost_cents) from attempts where workspace_id = r.workspace_id and run_id = r.id
  )`

/** Whose inbox it is, and at which moment; null: no one's, so nothing is put off. */
export interface Viewer {
  personId: string | null
  now: Date
}

/** The rendered decision, and what the inbox shows beside it. */
interface InboxRow<Wire> {
  id: string
  wire: Json<Wire>
  beside: Omit<DecisionRow, keyof Decision>
}

/** Text and options are more than half of a decision, and no list shows them. */
const listed = `(d.wire::jsonb - array['body', 'options', 'recommendation'])::text`
type Listed = Omit<Decision, 'body' | 'options' | 'recommendation'>

const inboxRow = (wire: string) => `
  d.id,
  ${wire} as wire,
  json_build_object('resolvedBy', p.name, 'resolvedPresence', d.resolved_presence, 'incident', i.key,
    'snoozedUntil', iso(z.until), 'recommended', (
      select o ->> 'label' from jsonb_array_elements(d.options) as o where o ->> 'id' = d.recommendation limit 1
    ), 'run', case when r.id is not null then
    json_build_object('costCents', ${cost}, 'budgetCents', r.budget_cents)
  end) as beside`

const inboxSource = `
  decisions d
  left join runs r on r.workspace_id = d.workspace_id and r.id = d.run_id
  left join incidents i on i.workspace_id = d.workspace_id and i.id = d.incident_id
  left join people p on p.id = d.resolved_by
  left join decision_snoozes z on z.workspace_id = d.workspace_id and z.decision_id = d.id
    and z.person_id = :personId? and ${isAsleep}`

const inboxPage = (position: string, order: string) => `
  select ${inboxRow(listed)}
  from ${inboxSource}
  where d.workspace_id = :workspaceId and not d.hidden
    [[and d.status = :status]]
    [[and d.kind = :kind]]
    [[and (z.until is not null) = :snoozed]]
    [[and d.team_id = (select id from teams where workspace_id = :workspaceId and slug = :team)]]
    [[and d.run_id = (select id from runs where workspace_id = :workspaceId and key = :run)]]
    [[and ${position}]]
  order by ${order}
  limit #rows`

const newestFirst = statement<Sql.NewestFirst, InboxRow<Listed>>(inboxPage('d.id < :after', 'd.id desc'))

// A decision's expiry never changes and its row stays, so the id alone says where a page ended, answered or not.
const dueFirst = statement<Sql.DueFirst, InboxRow<Listed>>(
  inboxPage(
    `(coalesce(d.expires_at, 'infinity'), d.id) > (
      select coalesce(expires_at, 'infinity'), id from decisions where workspace_id = :workspaceId and id = :after
    )`,
    `coalesce(d.expires_at, 'infinity'), d.id`,
  ),
)

export async function selectDecisionRows(
  db: Db,
  workspaceId: string,
  viewer: Viewer,
  { status, team, run, kind, snoozed }: DecisionRowFilter,
  page: PageRequest,
): Promise<readonly Rendered<DecisionRow>[]> {
  const order = status === 'pending' ? dueFirst : newestFirst
  const filter = { ...viewer, status, team, run, kind, snoozed, after: page.after }
  const rows = await read(db, order, { workspaceId, ...filter, rows: rowsFor(page) })
  return rows.map(({ id, wire, beside }) => ({ id, json: withFields(wire, beside) }))
}

export const selectCount = reads.onlyValue<Sql.SelectCount, { json: Json<DecisionCount> }>(
  'workspaceId, { personId, now }, kinds',
)(`
  with asleep as materialized (
    select d.team_id, d.kind, z.until from decision_snoozes z
    join decisions d on d.workspace_id = z.workspace_id and d.id = z.decision_id
    where z.workspace_id = :workspaceId and z.person_id = :personId? and ${isAsleep}
  ), pending as materialized (
    select team_id, kind, sum(amount) as n from (
      select team_id, kind, amount from pending_counts where workspace_id = :workspaceId
      union all
      select team_id, kind, -1 from asleep
    ) as counted
    group by team_id, kind having sum(amount) > 0
  )
  select json_build_object(
    'pending', (select coalesce(sum(n), 0) from pending),
    'mine', (select coalesce(sum(n), 0) from pending where kind = any (:kinds::text[])),
    'snoozed', (select count(*) from asleep),
    'wakesAt', (select iso(min(until)) from asleep),
    'teams', (
      select coalesce(json_agg(json_build_object('slug', t.slug, 'name', t.name, 'pending', (
        select coalesce(sum(n), 0) from pending where team_id = t.id
      )) order by t.name collate "und-x-icu", t.slug), '[]')
      from teams t where t.workspace_id = :workspaceId and t.deleted_at is null
    ),
    'kinds', (
      select coalesce(json_agg(json_build_object('kind', kind, 'pending', n) order by kind), '[]')
      from (select kind, sum(n) as n from pending group by kind) as by_kind
    )
  )::text as json`)

/** A decision and what surrounds it. */
export interface StoredDecisionPage {
  json: Json<DecisionInFull>
  facts: unknown
  team: string
  story: { key: string; trackerKey: string | null } | null
  criteria: DecisionPage['criteria'] | null
  run: (NonNullable<DecisionPage['run']> & { costMicros: number; changes: Evidence['changes'] | null }) | null
  incident: string | null
  proposed: ProposedStory | null
  others: DecisionPage['others']
  effects: DecisionPage['effects']
}

const inFull = statement<Sql.InFull, Omit<StoredDecisionPage, 'json'> & InboxRow<Decision>>(`
  select ${inboxRow('d.wire')}, d.facts, t.name as team,
    case when s.id is not null then json_build_object('key', s.key, 'trackerKey', s.tracker_key) end as story,
    s.acceptance_criteria as criteria,
    case when r.id is not null then json_build_object(
      'key', r.key, 'status', a.status, 'stage', a.stage, 'executor', a.executor, 'attempts', r.attempts,
      'costCents', ${cost}, 'budgetCents', r.budget_cents,
      'costMicros', (
        select sum(cost_micros) from attempts where workspace_id = r.workspace_id and run_id = r.id
      ),
      'pullRequest', case when r.pull_request_url is not null then json_build_object(
        'url', r.pull_request_url, 'number', r.pull_request_number
      ) end,
      'changes', r.evidence -> 'changes'
    ) end as run,
    i.key as incident,
    proposal.story as proposed,
    (
      select coalesce(json_agg(row_to_json(other)), '[]') from (
        select o.key, o.kind, o.title, o.status, iso(o.created_at) as "createdAt", (
          select chosen ->> 'label' from jsonb_array_elements(o.options) as chosen
          where chosen ->> 'id' = o.resolution_option limit 1
        ) as answer
        from decisions o
        where o.workspace_id = d.workspace_id and o.run_id = d.run_id and o.id <> d.id
        order by o.id desc
        limit 50
      ) as other
    ) as others,
    (
      select coalesce(json_agg(json_build_object('type', e.type, 'status', e.status,
        'target', json_build_object('type', e.target_type, 'id', e.target_id)) order by e.position), '[]')
      from decision_effects e where e.decision_id = d.id
    ) as effects
  from ${inboxSource}
  join teams t on t.workspace_id = d.workspace_id and t.id = d.team_id
  left join stories s on s.workspace_id = d.workspace_id and s.id = d.story_id
  left join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
  left join proposals proposal on proposal.workspace_id = d.workspace_id and proposal.id = d.proposal_id
  where d.workspace_id = :workspaceId and d.key = :key`)

export async function selectDecisionPage(
  db: Db,
  workspaceId: string,
  viewer: Viewer,
  key: string,
): Promise<StoredDecisionPage | undefined> {
  const row = (await read(db, inFull, { workspaceId, ...viewer, key }))[0]
  return row && { ...row, json: withFields(row.wire, row.beside) }
}

/** Put off until then, as it reads now. False: it waits no more, or is not there. */
export const upsertSnooze = writes.wroteOne<Sql.UpsertSnooze>('workspaceId, personId, key, until')(`
  insert into decision_snoozes (workspace_id, person_id, decision_id, until, seen)
  select d.workspace_id, :personId, d.id, :until, md5(d.wire) from decisions d
  where d.workspace_id = :workspaceId and d.key = :key and d.status = 'pending' and not d.hidden
  on conflict (workspace_id, person_id, decision_id) do update set until = excluded.until, seen = excluded.seen`)

/** False: it was not put off. */
export const deleteSnooze = writes.wroteOne<Sql.DeleteSnooze>('workspaceId, personId, key')(`
  delete from decision_snoozes z using decisions d
  where z.workspace_id = :workspaceId and z.person_id = :personId
    and d.workspace_id = z.workspace_id and d.id = z.decision_id and d.key = :key`)

/** Of a team's decisions, how many are looked through for those of one kind that were answered. */
const mostLookedThrough = 5_000

/** What one question is compared with another by. */
export interface Comparable {
  id: string
  title: string
  body: string
  paths: string[] | null
}

const comparable = `
  d.id, d.title, left(d.body, 4000) as "body!",
  coalesce(r.evidence -> 'changes' -> 'paths', d.facts -> 'paths') as paths`

export const selectComparable = reads.one<
  Sql.SelectComparable,
  Comparable & { teamId: string; kind: Decision['kind'] }
>('workspaceId, key')(`
  select ${comparable}, d.team_id as "teamId", d.kind
  from decisions d left join runs r on r.workspace_id = d.workspace_id and r.id = d.run_id
  where d.workspace_id = :workspaceId and d.key = :key`)

/** The team's last ones of that kind, before this one, that a person has answered. */
export const selectAnsweredBefore = readsApart.many<
  Sql.SelectAnsweredBefore,
  Comparable & { answer: string }
>('workspaceId, { id, teamId, kind }')(`
  with answered as materialized (
    select id from (
      select id, kind, status, resolved_by, hidden from decisions
      where workspace_id = :workspaceId and team_id = :teamId and id < :id
      order by id desc limit ${mostLookedThrough}
    ) recent
    where kind = :kind and status = 'resolved' and resolved_by is not null and not hidden
    order by id desc limit 200
  )
  select ${comparable}, chosen ->> 'label' as "answer!"
  from answered
  join decisions d on d.workspace_id = :workspaceId and d.id = answered.id
  cross join lateral jsonb_array_elements(d.options) as chosen
  left join runs r on r.workspace_id = d.workspace_id and r.id = d.run_id
  where chosen ->> 'id' = d.resolution_option
  order by d.id desc`)

/**
 * How they were answered and with which result. A merge is one that an incident points to when it is asked to revert
 * it.
 */
export const selectPrecedents = readsApart.many<
  Sql.SelectPrecedents,
  Omit<Precedent, 'commonPaths'> & { id: string }
>('workspaceId, ids')(`
  select d.id, d.key, d.title, d.resolution_option as "optionId!", chosen ->> 'label' as "answer!",
    d.resolution_note as note, p.name as "answeredBy", iso(d.resolved_at) as "answeredAt!",
    case
      when r.id is null then null
      when after.was_reverted then 'reverted'
      when after.has_incident then 'incident'
      when r.memory ->> 'merged' is not null then 'merged'
      when r.phase = 'stopped' then 'stopped'
      when r.phase in ('failed', 'timed_out') then 'failed'
      else 'open'
    end as outcome
  from decisions d
  cross join lateral jsonb_array_elements(d.options) as chosen
  left join runs r on r.workspace_id = d.workspace_id and r.id = d.run_id
  left join people p on p.id = d.resolved_by
  left join lateral (
    select bool_or(v.resolution_option = 'revert') as was_reverted, bool_or(v.incident_id is not null) as has_incident
    from (
      select kind, run_id, facts, incident_id, resolution_option from decisions later
      where later.workspace_id = d.workspace_id and later.team_id = d.team_id and later.id > d.id
      order by later.id limit ${mostLookedThrough}
    ) v
    where v.kind = 'revert_approval' and (v.run_id = r.id or v.facts -> 'merge' ->> 'run' = r.key)
  ) after on true
  where d.workspace_id = :workspaceId and d.id = any(:ids) and chosen ->> 'id' = d.resolution_option`)
