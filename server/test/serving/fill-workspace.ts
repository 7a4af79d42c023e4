import type pg from 'pg'

export interface Size {
  /** As many runs, attempts, work orders and bills of models; a fifth as many decisions. */
  stories: number
  /** Of the audit log, each with its leaf. A fifth as many deliveries and alerts. */
  entries: number
}

/**
 * Fills a workspace with what 300 days of work leave behind, past the domain: only how many there are of each, and how
 * they are distributed, is as it would be. Nine stories of ten are done, two decisions in a thousand wait, and of ten
 * audit entries six are about runs. The workspace has teams, a service and a source already. The client is a superuser.
 */
export async function fillWorkspace(
  client: pg.Client,
  workspaceId: string,
  size: Size,
  onFilled: (what: string) => void = () => {},
): Promise<void> {
  await client.query(teams, [workspaceId])
  await client.query(sources, [workspaceId])
  for (const [table, rows, text] of fills(size)) {
    // What refers to what is known here. Only decisions are rendered as they are written, by a trigger.
    await client.query(`set session_replication_role = '${table === 'decisions' ? 'origin' : 'replica'}'`)
    for (let from = 0; from < rows; from += slice)
      await client.query(text, [workspaceId, from + 1, Math.min(rows, from + slice), rows])
    onFilled(`${table}: ${rows}`)
  }
  await client.query("set session_replication_role = 'origin'")
  await client.query('select recount()')
  await client.query('drop table filling_teams, filling_sources')
}

/** One statement writes so many: a million in one would keep all of them in memory. */
const slice = 250_000

const teams = `
  create temp table filling_teams as
  select row_number() over (order by t.slug) - 1 as place, count(*) over () as teams, t.*,
    (select c.id from columns c where c.team_id = t.id and c.role = 'done' limit 1) as done,
    (select c.id from columns c where c.team_id = t.id and c.role = 'ready' limit 1) as ready,
    (select c.id from columns c where c.team_id = t.id and c.role = 'backlog' limit 1) as backlog
  from teams t where t.workspace_id = $1`

const sources = `
  create temp table filling_sources as
  select row_number() over (order by f.source_id) - 1 as place, count(*) over () as sources, f.*
  from source_services f where f.workspace_id = $1`

/** Of the n-th of $4 things, spread over 300 days. The last digits say which kind, so that ids are known elsewhere. */
const id = (kind: number, n = 'n', of = '$4::bigint') =>
  `(lpad(to_hex((extract(epoch from date_trunc('day', now())) * 1000 - 25920000000
    + ${n}::float8 / ${of} * 25900000000)::bigint), 12, '0') || '7${kind.toString(16).padStart(3, '0')}8' || lpad(to_hex(${n}), 15, '0'))::uuid`
const time = `(date_trunc('day', now()) - interval '300 days' + n::float8 / $4::bigint * interval '299 days')`
/** Six digits to the base of 36, as later keys have them. */
const key = (n: string) =>
  [60_466_176, 1_679_616, 46_656, 1_296, 36, 1]
    .map(
      (divisor) => `substr('0123456789abcdefghijklmnopqrstuvwxyz', ((${n}) / ${divisor} % 36)::int + 1, 1)`,
    )
    .join(' || ')
const word = (n: string) =>
  `(array['checkout','invoice','login','export','label','search','retry','address','parcel','email'])[1 + (${n}) % 10]`
/** One title of ten thousand is the only one with its number. */
const title = `initcap(${word('n')}) || ' fails when the ' || ${word('n / 10')} || ' of ' || n / 7 || ' changes'`
const series = 'generate_series($2::bigint, $3::bigint) as n'
const withTeam = `${series} join filling_teams t on t.place = n % t.teams`
const withSource = `${series} join filling_sources f on f.place = n % f.sources`

type Fill = [table: string, rows: number, text: string]

const fills = ({ stories, entries }: Size): Fill[] => [
  [
    'stories',
    stories,
    `insert into stories (id, workspace_id, team_id, key, title, description, column_id, readiness_score, size,
       created_at, updated_at)
     select ${id(1)}, $1, t.id, t.key_prefix || '-' || 100000 + n, ${title}, 'What is wanted, in a few sentences.',
       case when n % 100 < 90 then t.done when n % 100 < 95 then t.backlog else t.ready end, 100,
       (array['xs','s','m','l','xl'])[1 + n % 5], ${time}, ${time}
     from ${withTeam}`,
  ],
  [
    'runs',
    stories,
    `insert into runs (id, workspace_id, team_id, story_id, key, attempts, budget_cents, phase, version, fence,
       policy_version, memory, created_at)
     select ${id(2)}, $1, t.id, ${id(1)}, 'run-' || ${key('n + 1679616')}, 1, 800,
       case when n > $4::bigint - 20 then 'waiting' when n % 20 = 0 then 'failed' else 'succeeded' end, 9, 3,
       t.policy_version, '{}', ${time}
     from ${withTeam}`,
  ],
  [
    'attempts',
    stories,
    `insert into attempts (workspace_id, run_id, attempt, status, stage, executor, started_at, completed_at)
     select $1, ${id(2)}, 1, case when n % 20 = 0 then 'failed' else 'succeeded' end, 'handing_off', 'claude_code',
       ${time}, ${time}
     from ${series}`,
  ],
  [
    'work_orders',
    stories,
    `insert into work_orders (workspace_id, run_id, fence, attempt, stage, state, holder, lease_until, offered_at,
       taken_at, ended_at)
     select $1, ${id(2)}, 1, 1, 'implementing', 'ended', 'a runner', ${time}, ${time}, ${time}, ${time} from ${series}`,
  ],
  [
    'run_events',
    stories,
    `insert into run_events (workspace_id, run_id, seq, at, type, data)
     select $1, ${id(2)}, 1, ${time}, 'note', '{"text": "Begun."}' from ${series}`,
  ],
  [
    'usage_ledger',
    stories,
    `insert into usage_ledger (workspace_id, team_id, run_id, attempt, fence, report, at, amount, currency, euro_rate,
       euro_micros)
     select $1, t.id, ${id(2)}, 1, 1, 1, ${time}, 0.01, 'EUR', 1, 10000 from ${withTeam}`,
  ],
  [
    'effects',
    stories,
    `insert into effects (id, workspace_id, run_id, kind, key, data, attempts, done_at, created_at)
     select ${id(4)}, $1, ${id(2)}, 'open_pull_request', 'open_pull_request/' || n, '{}', 1, ${time}, ${time}
     from ${series}`,
  ],
  [
    'decisions',
    Math.ceil(stories / 5),
    `insert into decisions (id, workspace_id, team_id, story_id, run_id, key, kind, title, body, authority, options,
       recommendation, status, resolution_option, resolved_at, created_at, expires_at)
     select ${id(3)}, $1, t.id, ${id(1, 'n * 5', '($4::bigint * 5)')}, ${id(2, 'n * 5', '($4::bigint * 5)')},
       'dec-' || ${key('n + 1679616')}, 'plan_approval', ${title}, 'The plan, in a few sentences.', 'member',
       '[{"id": "approve", "label": "Approve", "action": "approve"}, {"id": "reject", "label": "Reject", "action": "reject"}]',
       'approve',
       case when n > $4::bigint * 0.998 then 'pending' else 'cancelled' end, null, null, ${time},
       ${time} + interval '300 days'
     from ${withTeam}`,
  ],
  [
    'audit_entries',
    entries,
    `insert into audit_entries (id, workspace_id, team, actor_type, event, run_key, entry)
     select id, $1, slug, actor, event, run, '{"id":"' || id || '","timestamp":"2026-01-01T00:00:00.000Z","actor":{"type":"'
       || actor || '","name":"Signalbox","userId":null},"team":"' || slug || '","runKey":'
       || coalesce('"' || run || '"', 'null') || ',"event":"' || event || '","result":"success","entity":{"type":"run","id":"'
       || coalesce(run, 'x') || '","name":"A story with a title of some length"},"details":{"channel":"schedule","reason":'
       || '"so that the entry has the size that entries have on average"}}'
     from (
       select ${id(5)} as id, t.slug,
         case when n % 10 < 6 then 'service' when n % 10 < 8 then 'system' else 'human' end as actor,
         (array['run_state_changed','run_state_changed','run_state_changed','run_started','run_state_changed',
           'run_state_changed','signal_received','signal_received','decision_resolved','story_changed'])[1 + n % 10] as event,
         case when n % 10 < 6 or n % 10 = 8 then 'run-' || ${key(`n / 10 % ${stories} + 1679617`)} end as run
       from ${withTeam}
     ) as entry`,
  ],
  [
    'audit_leaves',
    entries,
    `insert into audit_leaves (workspace_id, position, entry_id, hash)
     select $1, n - 1, ${id(5)}, sha256(int8send(n)) from ${series}`,
  ],
  [
    'deliveries',
    Math.ceil(entries / 5),
    `insert into deliveries (id, workspace_id, source_id, received_at, alerts, test, problem)
     select ${id(6)}, $1, f.source_id, ${time}, '[]', false, null from ${withSource}`,
  ],
  [
    'alerts',
    Math.ceil(entries / 5),
    `insert into alerts (id, workspace_id, source_id, fingerprint, title, status, severity, service_id, incident_id,
       labels, links, cuts, occurred_at, recovered_at, count, first_at, last_at)
     select ${id(7)}, $1, f.source_id, 'f' || n, ${title}, case when n > $4::bigint - 20 then 'firing' else 'resolved' end,
       'medium', f.service_id, ${id(8, '(1 + n / 2)', '($4::bigint / 2)')}, '{}', '[]', '[]', ${time}, ${time}, 1,
       ${time}, ${time}
     from ${withSource}`,
  ],
  [
    'incidents',
    Math.ceil(entries / 10),
    `insert into incidents (id, workspace_id, service_id, team_id, key, title, severity, worst_alert, status, opened_at,
       resolved_at)
     select ${id(8)}, $1, f.service_id, (select s.team_id from services s where s.id = f.service_id),
       'inc-' || ${key('n + 1679616')}, ${title}, 'high', 'high', 'resolved', ${time}, ${time}
     from ${withSource}`,
  ],
  [
    'incident_events',
    Math.ceil(entries / 10),
    `insert into incident_events (workspace_id, incident_id, seq, at, type, text)
     select $1, ${id(8)}, 1, ${time}, 'opened', 'Opened.' from ${series}`,
  ],
  [
    'notifications',
    Math.ceil(entries / 10),
    `insert into notifications (id, workspace_id, person_id, title, body, created_at, read_at, kind, thing, what, in_app)
     select ${id(9)}, $1, m.person_id, 'inc opened', 'A service.', ${time}, ${time}, 'incident', 'inc-' || n, 'opened', true
     from ${series} cross join (select person_id from memberships where workspace_id = $1 limit 1) as m`,
  ],
]
