import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Connection } from '../server/infra/db/embedded.ts'
import type { Figure } from './figures.ts'
import { processorSeconds } from './process.ts'
import { openSite } from './site.ts'

const held = 500
/** As long as it is from one notice to the next. */
const seconds = 25

/**
 * Coding agents that wait for a person over MCP, each with a call that is held and told now and then that it still is.
 * Only the server's own process is counted; the five hundred clients live in this one.
 */
export async function heldFigure(cluster: Connection): Promise<Figure[]> {
  const site = await openSite(cluster, 'bench_held')
  const [waiting] = await site.addWaiting(1)
  const { url, pid, stop } = await site.serve()
  // What starting left behind, such as the first sweep and the memory it took, is not idling.
  await sleep(20_000)
  const idle = await percentOf(pid, () => sleep(seconds * 1000))
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  let beats = 0
  const calls = Array.from({ length: held }, (_, id) =>
    hold(agent, url, site.token, waiting!.decision, id, (bytes) => {
      beats += bytes.toString().split('notifications/progress').length - 1
    }),
  )
  await Promise.all(calls.map(({ opened }) => opened))
  // What opening them left behind is not waiting; and the first notice, which comes early, is over for all of them.
  await sleep(10_000)
  const [busy, beatsBefore] = [new Busy(site.connection), beats]
  const percent = await percentOf(pid, () => busy.watch(seconds))
  const told = beats - beatsBefore
  for (const { end } of calls) end()
  agent.destroy()
  await stop()
  await site.close()
  if (Number.isNaN(percent)) return []
  const figure = {
    what: `${held} calls held over MCP for ${seconds} s, each told that it waits`,
    ours: `${percent.toFixed(2)} % of a core, ${told.toLocaleString('en')} notices, at most ${busy.most} of the server's connections in use at any of ${busy.looks} looks`,
    peer: `without them: ${idle.toFixed(2)} % of a core`,
    leftOut: 'nothing: the same server',
    target: 'at most 2 % of a core more, no connection held',
    met: percent - idle < 2 && busy.held === 0 && told >= held * 0.9,
  }
  return [figure]
}

/** What a process takes of a core in the meantime. */
async function percentOf(pid: number, meantime: () => Promise<unknown>): Promise<number> {
  const [before, begunAt] = [await processorSeconds(pid), performance.now()]
  await meantime()
  const passed = (performance.now() - begunAt) / 1000
  return (((await processorSeconds(pid)) - before) / passed) * 100
}

/** How many connections of the server are in use whenever one looks. One that is held would be among them every time. */
class Busy {
  most = 0
  looks = 0
  /** The fewest at any look: what is always in use. */
  held = Number.POSITIVE_INFINITY
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  async watch(forSeconds: number): Promise<void> {
    const client = new pg.Client({ ...this.#connection, database: 'postgres' })
    await client.connect()
    const until = performance.now() + forSeconds * 1000
    while (performance.now() < until) {
      const { rows } = await client.query<{ busy: number }>(
        `select count(*)::int as busy from pg_stat_activity where datname = $1 and state <> 'idle'`,
        [this.#connection.database],
      )
      this.most = Math.max(this.most, rows[0]!.busy)
      this.held = Math.min(this.held, rows[0]!.busy)
      this.looks += 1
      await sleep(250)
    }
    await client.end()
  }
}

function hold(
  agent: Agent,
  url: string,
  token: string,
  decision: string,
  id: number,
  hear: (bytes: Buffer) => void,
) {
  const opened = Promise.withResolvers<void>()
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const sent = request(`${url}/mcp`, { method: 'POST', agent, headers }, (response) => {
    if (response.statusCode !== 200)
      opened.reject(new Error(`A held call was answered ${response.statusCode}.`))
    opened.resolve()
    response.on('data', hear)
    response.on('error', () => {})
  })
  sent.on('error', (error) => opened.reject(error))
  const params = {
    name: 'get_decision',
    arguments: { decision, waitSeconds: 50 },
    _meta: { progressToken: id },
  }
  sent.end(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }))
  return { opened: opened.promise, end: () => sent.destroy() }
}
