import { createHmac } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import { createService } from '../server/domain/on-call/services/create.ts'
import { addSource } from '../server/domain/on-call/sources/add.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { secretsFrom } from '../server/infra/secrets.ts'
import { startAlertmanager } from './alertmanager.ts'
import { type Figure, median } from './figures.ts'
import { type Load, loadOnce } from './load.ts'
import { residentMegabytes } from './process.ts'
import { openSite, secretKey } from './site.ts'

const callers = 64
const peerConnections = 16
const rounds = 3
const deliveries = 6_000
const warmUp = 10_000
const burstSeconds = 10
const workers = 2

/** A server with one signed source, and deliveries for it. */
async function openIntake(cluster: Connection) {
  const site = await openSite(cluster, 'bench_intake')
  const { id } = fromJson(await createService(site.owner, { name: 'shop', team: 'bench-0' }))
  const secrets = secretsFrom(secretKey)
  const added = await addSource(site.owner, secrets, { kind: 'generic', name: 'bench', services: [id] })
  const server = await site.serve()
  const url = `${server.url}/signals/${fromJson(added.source).token}`
  const signed: Signed = (body, secret = added.secret!) => ({
    url,
    body,
    headers: {
      'X-Service-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  })
  const one = () => signed(JSON.stringify(alert()))
  const hundred = () => signed(JSON.stringify({ alerts: Array.from({ length: 100 }, alert) }))
  return { site, server, url, signed, one, hundred }
}

type Intake = Awaited<ReturnType<typeof openIntake>>

/** Every alert below the lowest severity: recorded and followed, without an incident of its own. */
let number = 0
function alert() {
  number += 1
  return {
    title: `Latency of the checkout is above its limit (${number})`,
    fingerprint: `f${number}`,
    severity: 'medium',
    description: 'p99 over five minutes is 1,240 ms; the limit is 800 ms.',
    labels: { region: 'eu-north-1', pod: `checkout-${number % 40}`, version: '2026.11.3' },
  }
}

const send = (posts: Post[], connections = callers): Promise<Load> => loadOnce(posts, {}, connections)
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make)

/** Deliveries in a second, until they were answered and until all that follows from them is there. */
interface Rates {
  answered: number
  entered: number
}

async function rates({ site }: Intake, posts: Post[], connections = callers): Promise<Rates> {
  const begun = performance.now()
  const { perSecond } = await send(posts, connections)
  await understood(site.connection)
  return { answered: perSecond, entered: posts.length / ((performance.now() - begun) / 1_000) }
}

/**
 * Alerts over the signed intake, each answered after its commit, against the least a database can be asked for: one row,
 * one commit. The database waits for its disk here, because that is what an answer promises. Once until everything that
 * follows is there, as a server has to keep it up for hours; once as a burst, whose rest may follow after it.
 */
export async function intakeFigures(cluster: Connection): Promise<Figure[]> {
  const intake = await openIntake(cluster)
  const { site, server, signed, one } = intake
  const { figures, perSecond, inserts } = await sustainedFigures(intake, warmUp)
  figures.splice(1, 0, await burstFigure(intake, inserts))
  figures.push(await refusedFigure(signed), ...(await stormFigures(signed, site.connection, server.pid)))
  await server.stop()
  const path = new URL(intake.url).pathname
  const together = await site.serve({}, workers)
  figures.push(
    await workersFigure(
      async (count) => {
        const posts = times(count, one).map((post) => ({ ...post, url: `${together.url}${path}` }))
        await send(posts)
        await understood(site.connection)
      },
      { perSecond, inserts },
    ),
  )
  await together.stop()
  await site.close()
  return figures
}

/** The same without burst, storm and workers. */
export async function alertFigures(cluster: Connection): Promise<Figure[]> {
  const intake = await openIntake(cluster)
  const { figures } = await sustainedFigures(intake, warmUp / 2)
  await intake.server.stop()
  await intake.site.close()
  return figures
}

async function sustainedFigures(
  intake: Intake,
  before: number,
): Promise<{ figures: Figure[]; perSecond: number; inserts: number }> {
  const { site, one, hundred } = intake
  // As a server has it after some minutes: what is compiled while it runs is compiled by then.
  await rates(intake, times(before, one))
  const singles: Rates[] = []
  const peer: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    singles.push(await rates(intake, times(deliveries, one)))
    peer.push(await insertsPerSecond(site.connection))
  }
  const perSecond = median(singles.map(({ entered }) => entered))
  const answered = median(singles.map((single) => single.answered))
  const inserts = median(peer)
  const many = await rates(intake, times(200, hundred), 16)
  const hundreds = { answered: many.answered * 100, entered: many.entered * 100 }
  const figures = [
    ratio(
      'One alert a delivery, signed, until its audit entry and alert are there',
      perSecond,
      inserts,
      0.7,
      {
        ours: `${whole(perSecond)}/s`,
        ...insertsPeer(inserts),
      },
    ),
    ratio('A hundred alerts a delivery, until their entries are there', hundreds.entered, perSecond, 5, {
      ours: `${whole(hundreds.entered)} alerts/s`,
      peer: `one alert a delivery: ${whole(perSecond)}/s`,
      leftOut: 'nothing: the same server',
    }),
    ...(await alertmanagerFigures({ one: { answered, entered: perSecond }, hundred: hundreds })),
  ]
  return { figures, perSecond, inserts }
}

const insertsPeer = (inserts: number) => ({
  peer: `one row, one commit by \`pg\`, ${peerConnections} connections: ${whole(inserts)}/s`,
  leftOut: 'HTTP, signature, audit entry, seal, alert, deduplication',
})

async function burstFigure({ site, one }: Intake, inserts: number): Promise<Figure> {
  const burst = await send(times(Math.ceil(inserts * burstSeconds), one))
  const burstEnd = performance.now()
  await understood(site.connection)
  const drained = (performance.now() - burstEnd) / 1_000
  const bursting = burst.perSecond / inserts
  return {
    what: `A burst of ${burstSeconds} s: one alert a delivery, signed, answered after its commit`,
    ours: `${whole(burst.perSecond)}/s, all worked off ${drained.toFixed(1)} s after it`,
    ...insertsPeer(inserts),
    ratio: bursting,
    target: `at least 0.9, worked off within ${burstSeconds} s`,
    met: bursting >= 0.9 && drained <= burstSeconds && burst.refused === 0,
  }
}

/** The same by several processes on one port: what more cores bring, where client and database leave any. */
async function workersFigure(
  deliver: (count: number) => Promise<void>,
  single: { perSecond: number; inserts: number },
): Promise<Figure> {
  await deliver(warmUp)
  const rates: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now()
    await deliver(deliveries)
    rates.push(deliveries / ((performance.now() - begun) / 1_000))
  }
  const perSecond = median(rates)
  return {
    what: `One alert a delivery, until its audit entry and alert are there, with \`--workers ${workers}\` on ${availableParallelism()} cores`,
    ours: `${whole(perSecond)}/s, ${(perSecond / single.inserts).toFixed(2)} of one row, one commit`,
    peer: `one process: ${whole(single.perSecond)}/s`,
    ratio: perSecond / single.perSecond,
    leftOut: 'nothing: the same server',
  }
}

/** The same alerts to an Alertmanager, which keeps them in memory and acknowledges before anything is on a disk. */
async function alertmanagerFigures(ours: { one: Rates; hundred: Rates }): Promise<Figure[]> {
  const alertmanager = await startAlertmanager()
  if (!alertmanager) {
    process.stderr.write('No Alertmanager is installed, so nothing is compared with one.\n')
    return []
  }
  const { url, stop } = alertmanager
  const theirs = () => {
    const { title, fingerprint, description, labels } = alert()
    return { labels: { alertname: title, fingerprint, ...labels }, annotations: { description } }
  }
  const rate = async (alerts: number, requests: number, connections: number) => {
    const posts = times(requests, () => ({ url, body: JSON.stringify(times(alerts, theirs)) }))
    return (await send(posts, connections)).perSecond * alerts
  }
  await rate(1, 1_000, callers)
  const [one, hundred] = [await rate(1, deliveries, callers), await rate(100, 200, 16)]
  await stop()
  const rows = [
    ['One alert a delivery', ours.one, one, '/s'],
    ['A hundred alerts a delivery', ours.hundred, hundred, ' alerts/s'],
  ] as const
  return rows.flatMap(([what, here, there, unit]) =>
    [['answered', here.answered] as const, ['until their entries are there', here.entered] as const].map(
      ([until, value]) => ({
        what: `${what}, ${until}, against a tool that keeps alerts in memory`,
        ours: `${whole(value)}${unit}`,
        peer: `Alertmanager: ${whole(there)}${unit}`,
        leftOut: 'the disk, the signature, the audit entry',
        ratio: value / there,
      }),
    ),
  )
}

const whole = (value: number) => Math.round(value).toLocaleString('en')

function ratio(
  what: string,
  ours: number,
  peer: number,
  least: number,
  figures: { ours: string; peer: string; leftOut: string },
): Figure {
  return { what, ...figures, ratio: ours / peer, target: `at least ${least}`, met: ours / peer >= least }
}

type Post = Parameters<typeof loadOnce>[0][number]
type Signed = (body: string, secret?: string) => Post

/** Refusing half a megabyte costs its hash and nothing else. */
async function refusedFigure(signed: Signed): Promise<Figure> {
  const small = signed(JSON.stringify({ title: 'x', description: 'a'.repeat(900), severity: 'medium' }))
  const large = signed(JSON.stringify({ title: 'x', description: 'a'.repeat(524_000) }), 'another secret')
  const [accepted, refused]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    accepted.push(median((await send(Array(300).fill(small), 4)).took))
    refused.push(median((await send(Array(300).fill(large), 4)).took))
  }
  const cost = median(refused) / median(accepted)
  return {
    what: 'A delivery of 512 KB with a wrong signature, refused',
    ours: `${median(refused).toFixed(2)} ms`,
    peer: `1 KB, accepted: ${median(accepted).toFixed(2)} ms`,
    leftOut: 'nothing: the same server',
    ratio: cost,
    target: 'at most 3',
    met: cost <= 3,
  }
}

/** A hundred thousand alerts over a thousand fingerprints. */
async function stormFigures(signed: Signed, connection: Connection, pid: number): Promise<Figure[]> {
  const posts = Array.from({ length: 10_000 }, (_, n) =>
    signed(
      JSON.stringify({
        alerts: Array.from({ length: 10 }, (_, m) => ({
          title: `Storm ${(n * 10 + m) % 1_000}`,
          fingerprint: `storm-${(n * 10 + m) % 1_000}`,
          severity: 'critical',
        })),
      }),
    ),
  )
  const before = await residentMegabytes(pid)
  const { took, refused } = await send(posts)
  await understood(connection)
  const memory = await residentMegabytes(pid)
  const p99 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]!
  const tenth = took.length / 10
  const [first, last] = [p99(took.slice(0, tenth)), p99(took.slice(-tenth))]
  const [opened] = await query<{ count: number }>(
    connection,
    "select count(*)::int as count from incidents where status = 'open'",
  )
  return [
    {
      what: 'A storm of 100,000 alerts over 1,000 fingerprints: p99 in its last tenth',
      ours: `${last.toFixed(0)} ms`,
      peer: `in its first tenth: ${first.toFixed(0)} ms`,
      leftOut: 'nothing: the same server',
      ratio: last / first,
      target: 'at most 2, all accepted, one incident',
      met: last / first <= 2 && refused === 0 && opened!.count === 1,
    },
    {
      what: 'Server memory after that storm',
      ours: `${memory?.toFixed(0) ?? '?'} MB, ${opened!.count} incident open`,
      peer: `before: ${before?.toFixed(0) ?? '?'} MB`,
      leftOut: 'nothing: the same server',
      target: 'at most 100 MB more',
      met: (memory ?? 0) - (before ?? 0) <= 100,
    },
  ]
}

/** Waits until nothing that was accepted is left to be understood. */
async function understood(connection: Connection): Promise<void> {
  for (;;) {
    const [waiting] = await query<{ count: number }>(connection, 'select count(*)::int as count from intake')
    if (waiting!.count === 0) return
    await sleep(100)
  }
}

async function query<Row extends pg.QueryResultRow>(connection: Connection, text: string): Promise<Row[]> {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query<Row>(text)
  await client.end()
  return rows
}

/** As plain as it can be: the same text in a table with a key, one statement each, which is its own commit. */
async function insertsPerSecond(connection: Connection): Promise<number> {
  const pool = new pg.Pool({ ...connection, max: peerConnections })
  await pool.query(
    'create table if not exists bench_rows (id bigint generated always as identity primary key, body text)',
  )
  const body = JSON.stringify({ title: 'x'.repeat(60), description: 'y'.repeat(240) })
  let left = deliveries
  const insert = async () => {
    while (left > 0) {
      left -= 1
      await pool.query({ name: 'insert', text: 'insert into bench_rows (body) values ($1)', values: [body] })
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: peerConnections }, insert))
  const seconds = (performance.now() - begun) / 1000
  await pool.end()
  return deliveries / seconds
}
