import { once } from 'node:events'
import type { AuditFilter } from '@signalbox/contract/audit.ts'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { createWorkspace } from '../server/domain/accounts/workspaces/create.ts'
import type { Context } from '../server/domain/context.ts'
import { exportAudit } from '../server/domain/record/audit/export.ts'
import { listAudit } from '../server/domain/record/audit/list.ts'
import { systemClock } from '../server/infra/clock.ts'
import { openDatabase } from '../server/infra/db/db.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { silentQueue } from '../server/infra/jobs/queue.ts'
import { freshDatabase } from './database.ts'
import { type Figure, median } from './figures.ts'

const few = 10_000
const many = 1_000_000
const position = 9_999

/** The same pages over many entries and over few: a page must cost what it costs, however long the log. */
export async function auditFigures(cluster: Connection): Promise<Figure[]> {
  const [small, large] = [await logOf(cluster, few), await logOf(cluster, many)]
  const deep = { limit: 1, after: position } as const
  const figures: Figure[] = [
    await compare('Audit page 1', small, large, {}, { limit: 25, after: null }),
    await compare('Audit page 10,000', small, large, {}, deep),
  ]
  for (const filter of [
    { team: 'team-3' },
    { actor: 'system' },
    { event: 'team_paused' },
    { run: 'run-0007' },
  ] as AuditFilter[]) {
    figures.push(
      await compare(`Audit, \`${Object.entries(filter).join().replace(',', '=')}\``, small, large, filter, {
        limit: 25,
        after: null,
      }),
    )
  }
  // Each log spans the same days, so a range of time matches in proportion; both fill the page.
  const range = { from: '2026-01-10', to: '2026-01-20' }
  figures.push(await compare('Audit, `from` and `to`', small, large, range, { limit: 25, after: null }))
  figures.push(await exported(large))
  await small.close()
  await large.close()
  return figures
}

interface Log {
  ctx: Context
  pool: pg.Pool
  connection: pg.ClientConfig
  idAt(position: number): Promise<string>
  close(): Promise<void>
}

/** A log of that many entries over sixty days, written past `change`: only its size matters here. */
async function logOf(cluster: Connection, entries: number): Promise<Log> {
  const connection = await freshDatabase(cluster, `bench_${entries}`)
  const database = openDatabase({ connection, connections: 2, asAppRole: false, onError: () => {} })
  const operator = {
    db: database.db,
    clock: systemClock,
    actor: { type: 'system', name: 'bench' },
    channel: 'operator',
    queue: silentQueue,
  } as const
  const { id } = await createWorkspace(operator, { slug: 'bench', name: 'Bench' })
  const filler = new pg.Client(connection)
  await filler.connect()
  await filler.query(fillWithEntries(), [id, entries])
  await filler.query('vacuum analyze audit_entries')
  await filler.end()
  return {
    ctx: { ...operator, workspaceId: id },
    pool: database.pool,
    connection,
    async idAt(offset) {
      const { rows } = await database.pool.query(
        'select id from audit_entries where workspace_id = $1 order by id desc offset $2 limit 1',
        [id, Math.min(offset, entries - 2)],
      )
      return rows[0].id
    },
    close: () => database.close(),
  }
}

// Ids of sixty days from 1 January 2026, in steps that fill them; one entry in ten of each kind, run and team.
export const fillWithEntries = (table = 'audit_entries') => `
  insert into ${table} (id, workspace_id, team, actor_type, event, run_key, entry)
  select id, $1, team, actor_type, event, run_key, json_build_object(
    'id', id, 'timestamp', '2026-01-01T00:00:00.000Z', 'actor', json_build_object('type', actor_type, 'name', 'A Person', 'userId', null),
    'team', team, 'runKey', run_key, 'event', event, 'result', 'success',
    'entity', json_build_object('type', 'run', 'id', run_key, 'name', 'A story with a title of some length'),
    'details', json_build_object('channel', 'app', 'reason', 'so that the entry has the size that entries have'))::text
  from (
    select
      (lpad(to_hex(1767225600000 + (n::float8 / $2 * 5184000000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0')
        || '8' || lpad(to_hex(n), 15, '0'))::uuid as id,
      'team-' || n % 10 as team,
      (array['human', 'service', 'system'])[1 + n % 3] as actor_type,
      (array['team_paused', 'team_resumed', 'run_started', 'run_state_changed', 'decision_raised', 'decision_resolved',
        'policy_changed', 'story_changed', 'token_created', 'member_joined'])[1 + n % 10] as event,
      'run-' || lpad((n % 100)::text, 4, '0') as run_key
    from generate_series(1, $2::int) as n
  ) as entry`

async function compare(
  what: string,
  small: Log,
  large: Log,
  filter: AuditFilter,
  page: { limit: number; after: number | null },
): Promise<Figure> {
  const at = async (log: Log) => ({
    limit: page.limit,
    after: page.after === null ? null : await log.idAt(page.after),
  })
  const [shortPage, longPage] = [await at(small), await at(large)]
  const once = async (log: Log, request: typeof shortPage) => {
    const begun = performance.now()
    await listAudit(log.ctx, filter, request)
    return (performance.now() - begun) * 1000
  }
  const [shorts, longs]: [number[], number[]] = [[], []]
  for (let round = 0; round < 400; round += 1) {
    shorts.push(await once(small, shortPage))
    longs.push(await once(large, longPage))
  }
  const [peer, ours] = [median(shorts.slice(100)), median(longs.slice(100))]
  return {
    what: `${what}, over 1,000,000 entries`,
    ours: `${Math.round(ours)} µs`,
    peer: `the same over 10,000: ${Math.round(peer)} µs`,
    leftOut: 'nothing: the same server',
    ratio: ours / peer,
    target: 'at most 1.3',
    met: ours / peer <= 1.3,
  }
}

async function exported(log: Log): Promise<Figure> {
  const [ours, theirs]: [number[], number[]] = [[], []]
  const peer = new pg.Client(log.connection)
  await peer.connect()
  for (let round = 0; round < 15; round += 1) {
    let begun = performance.now()
    const copy = peer.query(
      copyTo(
        `copy (select * from audit_entries where workspace_id = '${log.ctx.workspaceId}' order by id desc limit 5000) to stdout`,
      ),
    )
    copy.resume()
    await once(copy, 'end')
    theirs.push(performance.now() - begun)
    begun = performance.now()
    const file = await exportAudit(log.ctx, {}, 'json')
    for await (const _ of file.content);
    ours.push(performance.now() - begun)
  }
  await peer.end()
  const ratio = median(ours) / median(theirs)
  return {
    what: 'Export of 5,000 entries, JSON, recorded',
    ours: `${median(ours).toFixed(1)} ms`,
    peer: `\`COPY … TO STDOUT\` of the same rows: ${median(theirs).toFixed(1)} ms`,
    leftOut: 'the filter, the digest and the audit entry of the export',
    ratio,
    target: 'at most 2.5',
    met: ratio <= 2.5,
  }
}
