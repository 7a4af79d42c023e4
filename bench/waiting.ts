import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { portsFrom } from '../server/app/ports.ts'
import { sweep } from '../server/domain/engine/supervision/sweep.ts'
import { performersFor } from '../server/faces/worker/performers.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { silentQueue } from '../server/infra/jobs/queue.ts'
import { secretsFrom } from '../server/infra/secrets.ts'
import { type Figure, median } from './figures.ts'
import { load, loadOnce } from './load.ts'
import { processorSeconds } from './process.ts'
import { replayOf } from './replay.ts'
import { connections, openSite, type Site } from './site.ts'

const many = 100_000
// Enough for PostgreSQL to plan with the same indexes; below, it reads whole tables, and the comparison flatters.
const few = 1_000
const callers = 32
const idleSeconds = 20
const rounds = 5
const answers = 200

type Served = Site & Awaited<ReturnType<Site['serve']>>

/**
 * Runs that wait for a person cost nothing but their rows: the same server with a thousand of them and with a hundred
 * thousand, and what answering one costs beyond the statements it takes.
 */
export async function waitingFigures(cluster: Connection): Promise<Figure[]> {
  const sites = [
    await openSite(cluster, 'bench_few'),
    await openSite(cluster, 'bench_many'),
    await openSite(cluster, 'bench_peer'),
  ] as const
  await sites[0].addWaiting(few)
  await sites[1].addWaiting(many)
  await sites[2].addWaiting(few)
  const swept = await sweepFigure(sites[1])
  const small: Served = { ...sites[0], ...(await sites[0].serve()) }
  const large: Served = { ...sites[1], ...(await sites[1].serve()) }
  const figures = [
    await idleFigure(small, large),
    swept,
    await readFigure(small, large, '/v1/decisions?status=pending&limit=25'),
    await readFigure(small, large, '/v1/runs?limit=25'),
    ...(await answerFigures(small, large, sites[2])),
  ]
  await small.stop()
  await large.stop()
  for (const site of sites) await site.close()
  return figures.filter((figure) => figure !== null)
}

/** What an idle server takes of a core, and of the database's time. */
async function idleFigure(small: Served, large: Served): Promise<Figure | null> {
  // What starting left behind, such as the first sweep, is not idling.
  await sleep(3_000)
  const spent = async ({ pid, connection }: Served) => ({
    server: await processorSeconds(pid),
    database: await databaseSeconds(connection),
  })
  const before = [await spent(small), await spent(large)] as const
  await sleep(idleSeconds * 1000)
  const after = [await spent(small), await spent(large)] as const
  const percent = (which: 0 | 1, part: 'server' | 'database') =>
    ((after[which][part] - before[which][part]) / idleSeconds) * 100
  if (Number.isNaN(percent(0, 'server'))) return null
  const described = (which: 0 | 1) =>
    `${percent(which, 'server').toFixed(2)} % of a core, its statements ${percent(which, 'database').toFixed(2)} %`
  const more = percent(1, 'server') + percent(1, 'database') - percent(0, 'server') - percent(0, 'database')
  return {
    what: `Idle for ${idleSeconds} s, ${many.toLocaleString('en')} waiting runs`,
    ours: described(1),
    peer: `with ${few.toLocaleString('en')}: ${described(0)}`,
    leftOut: 'nothing: the same server',
    target: 'at most 0.5 % more',
    met: more <= 0.5,
  }
}

/** Time that the connections to a database have spent on statements. */
async function databaseSeconds(connection: Connection): Promise<number> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  await client.connect()
  const { rows } = await client.query('select active_time from pg_stat_database where datname = $1', [
    connection.database,
  ])
  await client.end()
  return rows[0].active_time / 1000
}

async function sweepFigure(site: Site): Promise<Figure> {
  const { db, clock } = site.owner
  const ports = portsFrom(
    {
      dataDir: '',
      splitter: null,
      mail: null,
      publicUrl: null,
      gitAllow: [],
      pushAllow: [],
      connectionAllow: [],
    },
    secretsFrom('a key for measuring that nobody else has'),
    null,
  )
  const performers = performersFor(ports, { secrets: { decrypt: () => '' }, publicUrl: () => '' })
  const passes: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now()
    await sweep({ db, clock, queue: silentQueue }, { work: ports.work, performers }, raise)
    passes.push(performance.now() - begun)
  }
  const slowest = Math.max(...passes)
  return {
    what: `One pass of the sweeper, ${many.toLocaleString('en')} waiting runs`,
    ours: `${median(passes).toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms`,
    target: 'under 2 s',
    met: slowest < 2_000,
  }
}

const raise = (error: Error) => {
  throw error
}

async function readFigure(small: Served, large: Served, path: string): Promise<Figure> {
  const once = async ({ url, token }: Served, seconds: number) => {
    const { perSecond, refused } = await load(
      url + path,
      { Authorization: `Bearer ${token}` },
      seconds,
      callers,
    )
    if (refused > 0) throw new Error(`${refused} requests to ${path} were refused.`)
    return perSecond
  }
  await once(small, 1.5)
  await once(large, 1.5)
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    theirs.push(await once(small, 0.7))
    ours.push(await once(large, 0.7))
  }
  return slower(`\`GET ${path}\``, ours, theirs)
}

const perSecond = (values: number[]) => `${Math.round(median(values)).toLocaleString('en')}/s`

function slower(what: string, ours: number[], theirs: number[]): Figure {
  const ratio = median(ours.map((value, round) => theirs[round]! / value))
  return {
    what: `${what}, ${many.toLocaleString('en')} waiting runs`,
    ours: perSecond(ours),
    peer: `with ${few.toLocaleString('en')}: ${perSecond(theirs)}`,
    leftOut: 'nothing: the same server',
    ratio,
    target: 'at most 1.2 times the time',
    met: ratio <= 1.2,
  }
}

/** What answering costs beyond its statements, with a thousand runs waiting. */
export async function answerFigure(cluster: Connection): Promise<Figure> {
  const [site, peer] = [await openSite(cluster, 'bench_few'), await openSite(cluster, 'bench_peer')] as const
  for (const one of [site, peer]) await one.addWaiting(few)
  const served: Served = { ...site, ...(await site.serve()) }
  const { against } = await answered([served], peer)
  await served.stop()
  for (const one of [site, peer]) await one.close()
  return against
}

async function answerFigures(small: Served, large: Served, peer: Site): Promise<Figure[]> {
  const { against, rates } = await answered([small, large], peer)
  return [against, slower(answering, rates[1]!, rates[0]!)]
}

const answering = '`POST /v1/decisions/{key}/resolve`'

/**
 * Plans are approved: the run queues for a runner that is not there, and the engine looks and leaves it. Each server in
 * turn with the peer; the first one is held against it.
 */
async function answered(servers: Served[], peer: Site): Promise<{ against: Figure; rates: number[][] }> {
  const [first, ...others] = await peer.addWaiting(20)
  // Of the same team, whose policy is then known, as it is for all but the first answer.
  const second = others.find(({ teamId }) => teamId === first!.teamId)
  const replay = await replayOf(peer, [first!, second!])
  const alone = async () => replay.answer(await peer.addWaiting(answers), callers)
  for (const site of servers) await answerSome(site)
  await alone()
  const theirs: number[] = []
  const rates: number[][] = servers.map(() => [])
  for (let round = 0; round < rounds; round += 1) {
    theirs.push(await alone())
    for (const [which, site] of servers.entries()) rates[which]!.push(await answerSome(site))
  }
  await replay.close()
  const ratio = median(rates[0]!.map((value, round) => value / theirs[round]!))
  const against = {
    what: answering,
    ours: perSecond(rates[0]!),
    peer: `its ${replay.statements} statements by \`pg\` alone, ${connections} connections: ${perSecond(theirs)}`,
    leftOut: 'HTTP, token, rate limit, rendering, sealing, waking the engine',
    ratio,
    target: 'at least 0.8',
    met: ratio >= 0.8,
  }
  return { against, rates }
}

/** How many in a second. */
async function answerSome(site: Served): Promise<number> {
  const posts = (await site.addWaiting(answers)).map(({ decision }) => ({
    url: `${site.url}/v1/decisions/${decision}/resolve`,
    body: '{"optionId":"approve"}',
  }))
  const { perSecond, refused } = await loadOnce(posts, { Authorization: `Bearer ${site.token}` }, callers)
  if (refused > 0) throw new Error(`${refused} answers were refused.`)
  await settled(site)
  return perSecond
}

/** Waits until the server has answered its own wake-ups and sealed what was written: the next figure is not to pay for it. */
async function settled({ connection }: Site): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  for (;;) {
    const { rows } = await client.query(`
      select exists (select from jobs.job where name = 'wake' and state < 'completed')
        or exists (select from audit_unsealed) as busy`)
    if (!rows[0].busy) break
    await sleep(100)
  }
  await client.end()
}
