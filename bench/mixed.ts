import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { createService } from '../server/domain/on-call/services/create.ts'
import { addSource } from '../server/domain/on-call/sources/add.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { secretsFrom } from '../server/infra/secrets.ts'
import { aTeam } from '../server/test/factories.ts'
import { signedIn } from '../server/test/signed-in.ts'
import type { Figure } from './figures.ts'
import { residentMegabytes } from './process.ts'
import { openSite, type Site, secretKey } from './site.ts'

const seconds = 120
const waiting = 4_000
const streams = 50
/** No one answers without looking at what is asked. */
const lookMs = 100
/** How many of each kind are under way at any moment. */
const callers = { rest: 8, answers: 4, alerts: 8, tools: 6, pages: 8 }

type Kind = keyof typeof callers

/** One request: what it asks, and how. */
interface Call {
  path: string
  headers: Record<string, string>
  body?: string
}

/**
 * What a server takes of the memory when everybody wants something of it at the same time: scripts that read and answer,
 * senders of alerts, coding agents, people with the app open and what their pages are told.
 */
export async function mixedFigures(cluster: Connection): Promise<Figure[]> {
  const site = await openSite(cluster, 'bench_mixed')
  await site.addWaiting(waiting)
  const server = await site.serve()
  const load = await mixedLoad(site, server.url, seconds)
  const samples: number[] = []
  const looking = setInterval(async () => samples.push((await residentMegabytes(server.pid)) ?? 0), 1_000)
  const answered = await load.run()
  clearInterval(looking)
  await server.stop()
  await site.close()
  const most = Math.round(Math.max(...samples))
  const last = samples.slice(-20)
  const level = Math.round(last.reduce((sum, one) => sum + one, 0) / last.length)
  const rates = Object.entries(answered.done).map(
    ([kind, count]) => `${Math.round(count / seconds).toLocaleString('en')} ${names[kind as Kind]}`,
  )
  return [
    {
      what: `Memory of the server under a mixed load for ${seconds} s, a second: ${rates.join(', ')}; ${streams} open streams`,
      ours: `${level} MB at its end, at most ${most} MB`,
      target: 'under 300 MB, every request answered',
      met: most < 300 && answered.refused === 0,
    },
  ]
}

const names: Record<Kind, string> = {
  rest: 'REST reads',
  answers: 'answers',
  alerts: 'alerts',
  tools: 'MCP calls',
  pages: 'reads of the app',
}

/** Sends all of it at once, without a pause. */
async function mixedLoad(site: Site, url: string, forSeconds: number) {
  const calls = await callsOf(site, url)
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const done: Record<Kind, number> = { rest: 0, answers: 0, alerts: 0, tools: 0, pages: 0 }
  const statuses = new Map<string, number>()
  return {
    /** So far, by kind. */
    done,
    async run() {
      const over = performance.now() + forSeconds * 1_000
      const open = Array.from({ length: streams }, () => listen(url, calls.events))
      const caller = async (kind: Kind) => {
        while (performance.now() < over) {
          const call = calls.next[kind]()
          if (!call) return
          if (kind === 'answers') await sleep(lookMs)
          const status = await send(agent, url, call)
          const name = `${kind} ${status}`
          statuses.set(name, (statuses.get(name) ?? 0) + 1)
          done[kind] += 1
        }
      }
      const kinds = Object.entries(callers) as [Kind, number][]
      await Promise.all(kinds.flatMap(([kind, count]) => Array.from({ length: count }, () => caller(kind))))
      for (const stream of open) stream.destroy()
      agent.destroy()
      const refused = [...statuses].reduce(
        (sum, [name, count]) => sum + (/ 20[02]$/.test(name) ? 0 : count),
        0,
      )
      return { done, refused }
    },
  }
}

/** What each kind of caller asks next. */
async function callsOf(site: Site, url: string) {
  const { rows } = await site.database.pool.query<{ slug: string }>('select slug from workspaces')
  const slug = rows[0]!.slug
  const storage = { db: site.database.db, secrets: secretsFrom(secretKey) }
  const owner = { ...site.owner, slug } as Parameters<typeof signedIn>[1]
  const { cookie } = await signedIn({ url, storage }, owner)
  const { rows: decisions } = await site.database.pool.query<{ key: string }>(
    `select key from decisions where status = 'pending' order by id`,
  )
  const alert = await alerts(site)
  // Stories of the others were written past the domain, which would give their keys again.
  await aTeam(site.owner, 'agents')
  const token = { authorization: `Bearer ${site.token}` }
  const browser = { cookie, 'accept-encoding': 'gzip, br, zstd' }
  const app = (name: string) => `/api/w/${slug}/${name}`
  const inTurn = (paths: string[], headers: Record<string, string>) => {
    let turn = 0
    return (): Call => {
      turn += 1
      return { path: paths[turn % paths.length]!, headers }
    }
  }
  const tool = toolCalls(token)
  return {
    events: { path: app('events'), headers: { cookie } } satisfies Call,
    next: {
      rest: inTurn(restReads, token),
      pages: inTurn(appReads.map(app), browser),
      tools: tool,
      alerts: alert,
      answers: (): Call | undefined => {
        const next = decisions.pop()
        return next && post(`/v1/decisions/${next.key}/resolve`, { optionId: 'approve' }, token)
      },
    } satisfies Record<Kind, () => Call | undefined>,
  }
}

const restReads = [
  '/v1/teams',
  '/v1/teams/bench-1',
  '/v1/decisions?status=pending&limit=25',
  '/v1/runs?limit=25',
  '/v1/audit?limit=25',
  '/v1/teams/bench-2/stories?limit=25',
]

const appReads = ['decisions.list', 'runs.list', 'teams.list', 'incidents.list', 'audit.list', 'members.list']

const post = (path: string, body: unknown, headers: Record<string, string>): Call => ({
  path,
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** Alerts one by one, signed, each of its own; every hundredth opens an incident or belongs to one. */
async function alerts(site: Site): Promise<() => Call> {
  const { id } = fromJson(await createService(site.owner, { name: 'shop', team: 'bench-0' }))
  const source = { kind: 'generic' as const, name: 'bench', services: [id] }
  const added = await addSource(site.owner, secretsFrom(secretKey), source)
  const { token } = fromJson(added.source)
  let number = 0
  return () => {
    number += 1
    const severity = number % 100 === 0 ? 'critical' : 'medium'
    const labels = { region: 'eu-north-1', pod: `checkout-${number % 40}` }
    const title = `Latency of the checkout is above its limit (${number})`
    const given = { title, fingerprint: `f${number}`, severity, labels }
    const call = post(`/signals/${token}`, given, {})
    const signature = createHmac('sha256', added.secret!).update(call.body!).digest('hex')
    return { ...call, headers: { ...call.headers, 'x-service-signature': `sha256=${signature}` } }
  }
}

/** Reads and writes of coding agents. */
function toolCalls(token: Record<string, string>): () => Call {
  const headers = { ...token, accept: 'application/json, text/event-stream' }
  let id = 0
  const asked = [
    () => ({ name: 'list_decisions', arguments: {} }),
    () => ({ name: 'list_stories', arguments: { team: 'bench-1' } }),
    () => ({ name: 'get_team', arguments: { team: 'bench-3' } }),
    () => ({ name: 'list_runs', arguments: {} }),
    () => ({ name: 'create_story', arguments: { team: 'agents', title: `A story of an agent (${id})` } }),
  ]
  return () => {
    id += 1
    const params = asked[id % asked.length]!()
    return post('/mcp', { jsonrpc: '2.0', id, method: 'tools/call', params }, headers)
  }
}

function send(agent: Agent, url: string, { path, headers, body }: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
      response.on('end', () => resolve(response.statusCode!)).on('error', reject)
      response.resume()
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function listen(url: string, { path, headers }: Call) {
  const sent = request(`${url}${path}`, { headers, agent: false }, (response) => {
    response.on('error', () => {}).resume()
  })
  sent.on('error', () => {})
  sent.end()
  return sent
}
