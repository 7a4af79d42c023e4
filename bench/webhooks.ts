import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { webhookEvents } from '@signalbox/contract/webhook-events.ts'
import { change } from '../server/domain/record/audit/change.ts'
import { addEndpoint } from '../server/domain/tools/webhooks/add.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { secretsFrom } from '../server/infra/secrets.ts'
import { httpWebhooks } from '../server/integrations/webhooks/http.ts'
import type { Figure } from './figures.ts'
import { residentMegabytes } from './process.ts'
import { openSite, secretKey } from './site.ts'

const perSecond = 100
const endpoints = 10
const slowMs = 10_000
const events = 10_000

/**
 * Events at a steady pace to ten endpoints, of which one is dead and one takes ten seconds for an answer: how long after
 * its commit an event is at the others, and what becomes of the memory.
 */
export async function webhookFigures(cluster: Connection, count = events): Promise<Figure[]> {
  const site = await openSite(cluster, 'bench_webhooks')
  const live: number[][] = []
  const hosts = await Promise.all(
    Array.from({ length: endpoints - 1 }, async (_, index) => {
      const isSlow = index === 0
      const latencies: number[] = []
      if (!isSlow) live.push(latencies)
      const host = createServer(async (request, response) => {
        // A port that another process had a moment ago may still be called by others.
        if (!request.headers['webhook-id']) return void response.writeHead(404).end()
        let body = ''
        for await (const chunk of request) body += chunk
        latencies.push(Date.now() - Date.parse(JSON.parse(body).timestamp))
        if (isSlow) await sleep(slowMs)
        response.writeHead(204).end()
      })
      await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
      return host
    }),
  )
  const sender = httpWebhooks({ allow: ['127.0.0.1'] })
  const add = (url: string) =>
    addEndpoint(
      site.owner,
      { secrets: secretsFrom(secretKey), sender },
      { url, description: '', events: Object.keys(webhookEvents), teams: null },
    )
  await add('http://127.0.0.1:9')
  for (const host of hosts) await add(`http://127.0.0.1:${(host.address() as AddressInfo).port}`)
  const server = await site.serve({ WEBHOOK_ALLOW: '127.0.0.1' })

  const happen = (number: number) =>
    change(site.owner, async () => {
      const slug = `bench-${number % 8}`
      const entity = { type: 'team', id: slug, name: slug } as const
      return { value: undefined, audit: { event: 'team_paused', team: slug, entity } }
    })
  // At their time, whether or not those before are written: a server that falls behind is not waited for.
  const begun = performance.now()
  const happening: Promise<void>[] = []
  let atHalf = 0
  for (let number = 0; number < count; number += 1) {
    const wait = begun + (number * 1_000) / perSecond - performance.now()
    if (wait > 0) await sleep(wait)
    happening.push(happen(number))
    if (number === Math.floor(count / 2)) atHalf = (await residentMegabytes(server.pid)) ?? 0
  }
  await Promise.all(happening)
  const lasted = (performance.now() - begun) / 1000
  const deadline = performance.now() + 60_000
  while (live.some((its) => its.length < count) && performance.now() < deadline) await sleep(100)
  const atEnd = (await residentMegabytes(server.pid)) ?? 0
  await server.stop()
  for (const host of hosts) {
    host.closeAllConnections()
    host.close()
  }
  await site.close()

  const all = live.flat().toSorted((a, b) => a - b)
  const arrived = all.length === count * live.length
  const [p50, p99] = [0.5, 0.99].map((part) => all[Math.floor(all.length * part)] ?? Number.POSITIVE_INFINITY)
  return [
    {
      what: `${count.toLocaleString('en')} events at ${Math.round(count / lasted)} a second to ${endpoints} webhook endpoints, one dead and one slow: commit to arrival at the others`,
      ours: arrived ? `p50 ${p50} ms, p99 ${p99} ms` : `${all.length} of ${count * live.length} arrived`,
      target: 'p99 under 2 s',
      met: arrived && p99! < 2_000,
    },
    {
      what: 'Memory of the server at the end of it, against half-way',
      ours: `${Math.round(atEnd)} MB`,
      peer: `${Math.round(atHalf)} MB`,
      leftOut: 'nothing: the same server',
      ratio: atEnd / atHalf,
      target: 'at most 1.2',
      met: atEnd / atHalf <= 1.2,
    },
  ]
}
