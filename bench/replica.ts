import { urlOf } from '../server/test/app.ts'
import { aToken } from '../server/test/factories.ts'
import { noStreamingReplica, StreamingReplica } from '../server/test/serving/streaming-replica.ts'
import { type Figure, median, table } from './figures.ts'
import { type Load, loadEach } from './load.ts'
import { processorSecondsOfAll } from './process.ts'
import { openSite, type Site } from './site.ts'

const callers = 32
const seconds = 3
const rounds = 5
const target = 0.5

/**
 * Lists with one replica against none, in turns. All share one machine, where a replica adds no processor: what it is
 * for is what the primary no longer does.
 */
export async function replicaFigures(): Promise<Figure[]> {
  if (noStreamingReplica) {
    process.stderr.write(`Skipped: ${noStreamingReplica}\n`)
    return []
  }
  const streaming = new StreamingReplica()
  try {
    const { replica, superuser } = await streaming.open()
    const site = await openSite(superuser, 'bench_replica')
    await site.addWaiting(2_000)
    const readUrl = urlOf({ ...replica, user: superuser.user, database: site.connection.database })
    const figure = await compared(streaming, site, readUrl)
    await site.close()
    return [figure]
  } finally {
    await streaming.close()
  }
}

interface Measured {
  perSecond: number
  /** Microseconds of a processor for each read. */
  primary: number
  replica: number
}

async function compared(streaming: StreamingReplica, site: Site, readUrl: string): Promise<Figure> {
  const tokens = await Promise.all(Array.from({ length: callers }, () => aToken(site.owner, ['read'])))
  await streaming.caughtUp()
  const servers = {
    with: await site.serve({ DATABASE_READ_URL: readUrl, DATABASE_READ_LAG_SECONDS: '60' }),
    without: await site.serve(),
  }
  const loaded = (which: keyof typeof servers, seconds: number): Promise<Load> =>
    loadEach(
      tokens.map(({ token }) => [
        { url: `${servers[which].url}${path}`, headers: { Authorization: `Bearer ${token}` } },
      ]),
      seconds,
    )
  const found: Record<keyof typeof servers, Measured[]> = { with: [], without: [] }
  for (const which of ['with', 'without'] as const) await loaded(which, 1.5)
  for (let round = 0; round < rounds; round += 1)
    for (const which of ['without', 'with'] as const) {
      const before = await processorOf(streaming)
      const { perSecond, refused, took } = await loaded(which, seconds)
      const after = await processorOf(streaming)
      if (refused > 0) throw new Error(`${refused} requests were refused.`)
      const each = (name: 'primary' | 'replica') => ((after[name] - before[name]) / took.length) * 1e6
      found[which].push({ perSecond, primary: each('primary'), replica: each('replica') })
    }
  for (const server of Object.values(servers)) await server.stop()
  const of = (which: keyof typeof servers, name: keyof Measured) =>
    Math.round(median(found[which].map((one) => one[name]))).toLocaleString('en')
  const ratio = median(found.with.map(({ primary }, round) => primary / found.without[round]!.primary))
  return {
    what: `Processor of the primary for \`GET ${path}\`, ${callers} callers, with one replica (\`DATABASE_READ_URL\`) on the same machine`,
    ours: `${of('with', 'primary')} µs, of the replica ${of('with', 'replica')} µs; ${of('with', 'perSecond')}/s`,
    peer: `without a replica: ${of('without', 'primary')} µs; ${of('without', 'perSecond')}/s`,
    ratio,
    target: `at most ${target}`,
    met: ratio <= target,
    leftOut: 'nothing: the same server',
  }
}

const path = '/v1/runs?limit=25'

async function processorOf(streaming: StreamingReplica) {
  const { primary, replica } = streaming.pids()
  return { primary: await processorSecondsOfAll(primary), replica: await processorSecondsOfAll(replica) }
}

// `npm run bench:replica`: this row alone.
if (import.meta.main) process.stdout.write(`${table(await replicaFigures())}\n`)
