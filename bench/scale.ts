import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import { createService } from '../server/domain/on-call/services/create.ts'
import { addSource } from '../server/domain/on-call/sources/add.ts'
import { search } from '../server/domain/work/search/search.ts'
import { readBoard } from '../server/domain/work/stories/board.ts'
import { listTeamRows } from '../server/domain/work/teams/list-rows.ts'
import { startCluster } from '../server/infra/db/embedded.ts'
import { migrate } from '../server/infra/db/migrate.ts'
import { secretsFrom } from '../server/infra/secrets.ts'
import { fillWorkspace } from '../server/test/serving/fill-workspace.ts'
import { signedIn } from '../server/test/signed-in.ts'
import { superuserOf } from '../server/test/superuser.ts'
import { median } from './figures.ts'
import { load } from './load.ts'
import { openSite, type Site, secretKey } from './site.ts'

/**
 * What one workspace with very many stories and a long audit log costs everyone in it: how long pages take, and a small
 * read while one person searches and opens Teams, and how many rows those two look at. It fails where one of them walks
 * through a whole table. The figures of docs/scale.md come from here: `npm run scale -- 1000000 10000000` is a million
 * stories and ten million entries, for which it takes 20 GB of a disk and an hour.
 */

const stories = Number(process.argv[2] ?? 150_000)
const entries = Number(process.argv[3] ?? stories * 10)
const seconds = 4
const callers = 8
const sources = 4
/** How often each page is opened. */
const turns = 100
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
  say(`${stories} stories, runs and bills of models, ${entries} audit entries.`)
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
  const { owner, connection } = site
  for (let number = 0; number < sources; number += 1) {
    const service = await createService(owner, { name: `shop-${number}`, team: `bench-${number}` })
    const services = [fromJson(service).id]
    await addSource(owner, secretsFrom(secretKey), { kind: 'generic', name: `bench ${number}`, services })
  }
  const filler = new pg.Client(connection)
  await filler.connect()
  let begun = performance.now()
  const lap = (what: string) => {
    say(`${what}, ${((performance.now() - begun) / 1000).toFixed(1)} s`)
    begun = performance.now()
  }
  // Made again below, which is quicker, and is what an upgrade does.
  await filler.query(
    'drop index if exists stories_by_trigrams, decisions_by_trigrams, incidents_by_trigrams, requirements_by_trigrams',
  )
  const { rows: indexes } = await filler.query<{ name: string; text: string }>(
    `select c.relname as name, pg_get_indexdef(c.oid) as text from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'audit_entries'::regclass and not i.indisprimary`,
  )
  for (const { name } of indexes) await filler.query(`drop index ${name}`)
  await fillWorkspace(filler, owner.workspaceId, { stories, entries }, lap)
  for (const { text } of indexes) await filler.query(text.replace(' ON ONLY ', ' ON '))
  lap('indexes of the log')
  await migrate(connection)
  lap('preparing search')
  await filler.query('vacuum analyze')
  lap('vacuum analyze')
  const { rows } = await filler.query(
    'select pg_size_pretty(pg_database_size(current_database())) as size, (select pg_size_pretty(sum(pg_total_relation_size(inhrelid))) from pg_inherits where inhparent = $1::regclass) as log',
    ['audit_entries'],
  )
  say(`the database: ${rows[0].size}, of which the log ${rows[0].log}`)
  await filler.end()
}

/** How long pages take that anyone opens, one after the other. */
async function pages(site: Site, url: string, person: Awaited<ReturnType<typeof signedIn>>): Promise<void> {
  const { rows } = await site.database.pool.query<{ key: string; run: string }>(
    'select (select key from stories order by id desc limit 1), (select key from runs order by id limit 1) as run',
  )
  const { key, run } = rows[0]!
  const rest = (path: string) => async () =>
    fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${site.token}` } })
  const asked: [string, () => Promise<Response>][] = [
    ['a story', rest(`/v1/stories/${key}`)],
    ['stories of a team', rest('/v1/teams/bench-0/stories?limit=25')],
    ['runs', rest('/v1/runs?limit=25')],
    ['runs of a team', rest('/v1/runs?limit=25&team=bench-3')],
    ['decisions that wait', rest('/v1/decisions?status=pending&limit=25')],
    ['audit log', rest('/v1/audit?limit=25')],
    ['audit log by event', rest('/v1/audit?limit=25&event=decision_resolved')],
    ['audit log by actor', rest('/v1/audit?limit=25&actor=human')],
    ['audit log by team', rest('/v1/audit?limit=25&team=bench-3')],
    ['audit log by run', rest(`/v1/audit?limit=25&run=${run}`)],
    ['audit log of a day', rest(`/v1/audit?limit=25&from=${day(100)}&to=${day(99)}`)],
    ['search, a rare number', () => person.read('workspaces.search', { q: 'of 1234 ch' })],
    ['search, a common word', () => person.read('workspaces.search', { q: 'invoice' })],
    ['Teams', () => person.read('teams.list')],
  ]
  for (const [what, ask] of asked) {
    const took: number[] = []
    for (let turn = 0; turn < turns; turn += 1) {
      const begun = performance.now()
      const response = await ask()
      await response.text()
      if (response.status !== 200) throw new Error(`${what}: ${response.status}`)
      took.push(performance.now() - begun)
    }
    const sorted = took.toSorted((one, other) => one - other)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1)
    say(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
  }
}

function day(ago: number): string {
  return new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
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
  await pages(site, server.url, person)
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
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((one) => JSON.stringify(one)).join()}}`)
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  return pg.escapeLiteral(String(value))
}
