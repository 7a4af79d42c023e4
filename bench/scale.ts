import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { search } from '../server/domain/work/search/search.ts'
import { readBoard } from '../server/domain/work/stories/board.ts'
import { listTeamRows } from '../server/domain/work/teams/list-rows.ts'
import { startCluster } from '../server/infra/db/embedded.ts'
import { migrate } from '../server/infra/db/migrate.ts'
import { secretsFrom } from '../server/infra/secrets.ts'
import { signedIn } from '../server/test/signed-in.ts'
import { superuserOf } from '../server/test/superuser.ts'
import { median } from './figures.ts'
import { load } from './load.ts'
import { openSite, type Site, secretKey } from './site.ts'

/**
 * What one workspace with very many stories costs everyone in it: how long a small read takes while one person searches
 * and opens Teams, and how many rows those two look at. It fails where one of them walks through a whole table. The
 * figures of docs/scale.md come from here.
 */

const stories = Number(process.argv[2] ?? 150_000)
const bills = stories
const pending = 2_000
const seconds = 4
const callers = 8
/** Of one table for one page. A table that is walked through has as many as there are stories. */
const mostRows = stories / 5

const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-scale-'))
const say = (text: string) => process.stdout.write(`${text}\n`)
const cluster = await startCluster(folder, {
  log: () => {},
  settings: { fsync: 'off', shared_buffers: '512MB' },
})
try {
  const superuser = await superuserOf(folder, cluster.connection)
  const site = await openSite(superuser, 'scale')
  await fill(site)
  say(`${stories} stories, runs and decisions, ${bills} bills of models in this month.`)
  await measure(site)
  await explain(site)
  await site.close()
} catch (error) {
  // Before the database is stopped, which those that are still connected would not survive.
  say(String(error))
  process.exitCode = 1
} finally {
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
}

async function fill(site: Site): Promise<void> {
  await site.addWaiting(stories)
  const filler = new pg.Client(site.connection)
  await filler.connect()
  const word = (number: string) =>
    `(array['checkout','invoice','login','export','label','search','retry','address','parcel','email'])[1 + (${number}) % 10]`
  // One title of ten thousand is the only one with its number.
  const title = (number: string) =>
    `initcap(${word(number)}) || ' fails when the ' || ${word(`${number} / 10`)} || ' of ' || ${number} / 7 || ' changes'`
  // Made again below, which is quicker, and is what an upgrade does.
  await filler.query(
    'drop index if exists stories_by_trigrams, decisions_by_trigrams, incidents_by_trigrams, requirements_by_trigrams',
  )
  await filler.query("set session_replication_role = 'replica'")
  await filler.query(`
    update stories s set title = ${title('n')}, column_id = c.id, updated_at = now() - n * interval '1 minute'
    from (select id, row_number() over (order by id)::int as n from stories) as numbered, columns c
    where numbered.id = s.id and c.team_id = s.team_id
      and c.role = case when n % 100 < 90 then 'done' when n % 100 < 95 then 'backlog' else 'ready' end`)
  await filler.query(`
    update decisions d set title = s.title, status = case when n <= ${pending} then 'pending' else 'cancelled' end
    from (select id, row_number() over (order by id desc)::int as n from decisions) as numbered, stories s
    where numbered.id = d.id and s.id = d.story_id`)
  await filler.query(`
    update runs set phase = 'stopped', memory = '{}'
    where id not in (select run_id from decisions where status = 'pending')`)
  await filler.query(`
    insert into usage_ledger (workspace_id, team_id, run_id, attempt, fence, report, at, amount, currency, euro_rate, euro_micros)
    select workspace_id, team_id, id, 1, 1, 1, date_trunc('month', now()), 0.01, 'EUR', 1, 10000 from runs`)
  await filler.query("set session_replication_role = 'origin'")
  const timed = async (what: string, work: () => Promise<unknown>) => {
    const begun = performance.now()
    await work()
    say(`${what}: ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  }
  await timed('counting everything', () => filler.query('select recount()'))
  await timed('preparing search', () => migrate(site.connection))
  await filler.query('vacuum analyze')
  await filler.end()
}

/** How long a read by key takes for eight callers, and what one person does beside them. */
async function measure(site: Site): Promise<void> {
  const server = await site.serve()
  const { rows } = await site.database.pool.query<{ slug: string; key: string }>(
    'select w.slug, (select key from stories limit 1) from workspaces w',
  )
  const { slug, key } = rows[0]!
  const storage = { db: site.database.db, secrets: secretsFrom(secretKey) }
  const person = await signedIn({ url: server.url, storage }, { ...site.owner, slug })
  const small = async () => {
    const { took, refused } = await load(
      `${server.url}/v1/stories/${key}`,
      { Authorization: `Bearer ${site.token}` },
      seconds,
      callers,
    )
    const sorted = took.toSorted((one, other) => one - other)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1)
    return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${refused} refused of ${took.length}`
  }
  /** What a person does over and over while the small reads go on. */
  const beside = async (what: string, acts: (() => Promise<Response>)[]) => {
    let over = false
    const mine: number[] = []
    const acting = (async () => {
      for (let turn = 0; !over; turn += 1) {
        const begun = performance.now()
        const response = await acts[turn % acts.length]!()
        await response.text()
        mine.push(performance.now() - begun)
      }
    })()
    const read = await small()
    over = true
    await acting
    say(`${what}: ${read}; the person waits ${median(mine).toFixed(0)} ms (p50 of ${mine.length})`)
  }
  const find = (q: string) => () => person.read('workspaces.search', { q })
  const searches = ['of 1234 ch', 'invoice', 'no such words', `${key}`, 'ch'].map(find)
  const teams = () => person.read('teams.list')
  await small()
  say(`alone: ${await small()}`)
  await beside('one person searches', searches)
  await beside('one person opens Teams', [teams])
  await beside('one person searches and opens Teams', [...searches, teams])
  await server.stop()
}

/** Looks at the plans of the statements that a page takes, planned for its words and for any words. */
async function explain(site: Site): Promise<void> {
  const asked: { text: string; values: unknown[] }[] = []
  const query = pg.Client.prototype.query
  // Each statement as it is sent, whichever line it takes.
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [first] = given as [{ name?: string; text?: string; values?: unknown[] }]
    // Only those of the register have names of their own here.
    if (first?.name && first.text) asked.push({ text: first.text, values: first.values ?? [] })
    return Reflect.apply(query, this, given)
  } as typeof query
  const pages: [string, () => Promise<unknown>][] = [
    ...['of 1234 ch', 'invoice', 'no such words', 'ch'].map((words): [string, () => Promise<unknown>] => [
      `search “${words}”`,
      () => search(site.owner, words),
    ]),
    ['Teams', () => listTeamRows(site.owner)],
    ['a board', () => readBoard(site.owner, { team: 'bench-0', drafts: true })],
  ]
  const looker = new pg.Client(site.connection)
  looker.on('error', () => {})
  await looker.connect()
  let walks = 0
  for (const [page, open] of pages) {
    asked.length = 0
    await open()
    for (const { text, values } of [...asked]) {
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        const { rows, ms } = await planOf(looker, mode, text, values)
        const worst = [...rows].toSorted(([, one], [, other]) => other - one)[0] ?? ['', 0]
        const isWalk = worst[1] > mostRows
        if (isWalk) walks += 1
        say(
          `${page}, ${mode === 'force_custom_plan' ? 'planned for it' : 'planned once'}: ${ms.toFixed(1)} ms, at most ${worst[1]} rows of one table (${worst[0]})${isWalk ? ' — walks through it' : ''}`,
        )
      }
    }
  }
  await looker.end()
  pg.Client.prototype.query = query
  if (walks > 0) process.exitCode = 1
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/** How many rows of each table the statement looked at, and how long it took. */
async function planOf(looker: pg.Client, mode: string, text: string, values: unknown[]) {
  await looker.query(`set plan_cache_mode = ${mode}`)
  await looker.query(`prepare page as ${text}`)
  const given = values.map((value) => literalOf(value)).join(', ')
  const { rows } = await looker.query<{ 'QUERY PLAN': [{ Plan: Plan; 'Execution Time': number }] }>(
    `explain (analyze, format json) execute page${given ? ` (${given})` : ''}`,
  )
  await looker.query('deallocate page')
  const [{ Plan: plan, 'Execution Time': ms }] = rows[0]!['QUERY PLAN']
  const looked = new Map<string, number>()
  const visit = (node: Plan): void => {
    const table = node['Relation Name']
    const each =
      node['Actual Rows'] +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0)
    if (table) looked.set(table, Math.round((looked.get(table) ?? 0) + each * node['Actual Loops']))
    for (const below of node.Plans ?? []) visit(below)
  }
  visit(plan)
  return { rows: looked, ms }
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  return pg.escapeLiteral(String(value))
}
