import { setTimeout as sleep } from 'node:timers/promises'
import { fromJson } from '@signalbox/contract/shapes.ts'
import pg from 'pg'
import type { ReadAlert } from '../server/domain/on-call/senders/reading/reading.ts'
import { createService } from '../server/domain/on-call/services/create.ts'
import type { KnownSource } from '../server/domain/on-call/signals/known-source.ts'
import { Receiver } from '../server/domain/on-call/signals/receive.ts'
import { addSource } from '../server/domain/on-call/sources/add.ts'
import type { Connection } from '../server/infra/db/embedded.ts'
import { secretsFrom } from '../server/infra/secrets.ts'
import { type Figure, median } from './figures.ts'
import { openSite, type Site, secretKey } from './site.ts'

const deliveries = 12_000
const warmUp = 6_000
const rounds = 3
const sources = 16
const nodes = 2

/**
 * Deliveries that wait, worked off by two nodes until the last audit entry and alert are there: those of one source,
 * which are understood one after the other, against those of many that share no service.
 */
export async function backlogFigures(cluster: Connection): Promise<Figure[]> {
  const site = await openSite(cluster, 'bench_backlog')
  const many = await Promise.all(Array.from({ length: sources }, (_, number) => aSource(site, number)))
  const server = await site.serve({}, nodes)
  const perSecond = async (from: KnownSource[], count: number) =>
    count / ((await workedOff(site, from, count)) / 1_000)
  await perSecond(many, warmUp)
  const [one, all]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    one.push(await perSecond(many.slice(0, 1), deliveries))
    all.push(await perSecond(many, deliveries))
  }
  await server.stop()
  await site.close()
  const whole = (value: number) => Math.round(value).toLocaleString('en')
  return [
    {
      what: `${whole(deliveries)} deliveries that wait, of ${sources} sources with a service each, worked off by ${nodes} nodes`,
      ours: `${whole(median(all))}/s`,
      peer: `of one source: ${whole(median(one))}/s`,
      leftOut: 'nothing: the same servers',
      ratio: median(all) / median(one),
    },
  ]
}

async function aSource(site: Site, number: number): Promise<KnownSource> {
  const { owner } = site
  const { id: service } = fromJson(
    await createService(owner, { name: `shop-${number}`, team: `bench-${number % 8}` }),
  )
  const name = `bench ${number}`
  const added = await addSource(owner, secretsFrom(secretKey), { kind: 'generic', name, services: [service] })
  const { id } = fromJson(added.source)
  const proof = () => ({ secrets: [], settings: {} })
  return { id, workspaceId: owner.workspaceId, kind: 'generic', name, paused: false, proof }
}

/** Lets deliveries wait while no node can take any, and returns how many milliseconds all of them take from then on. */
async function workedOff(site: Site, from: KnownSource[], count: number): Promise<number> {
  const { owner, connection } = site
  const gate = new pg.Client(connection)
  await gate.connect()
  // Nodes wait at it for as long as another holds it alone.
  const lock = [owner.workspaceId]
  await gate.query('select pg_advisory_lock(4404, hashtext($1))', lock)
  const receiver = new Receiver({ db: owner.db, clock: owner.clock, onWritten: () => undefined })
  for (let sent = 0; sent < count; sent += 200)
    await Promise.all(
      Array.from({ length: 200 }, (_, place) =>
        receiver.receive(from[(sent + place) % from.length]!, {
          ...{ alerts: [alert()], test: false, problem: null, deliveryId: null, handshake: null },
        }),
      ),
    )
  const begun = performance.now()
  await gate.query('select pg_advisory_unlock(4404, hashtext($1))', lock)
  for (;;) {
    const { rows } = await gate.query('select from intake limit 1')
    if (rows.length === 0) break
    await sleep(20)
  }
  const took = performance.now() - begun
  await gate.end()
  return took
}

/** Below the lowest severity: recorded and followed, without an incident of its own. */
let number = 0
function alert(): ReadAlert {
  number += 1
  return {
    title: `Latency of the checkout is above its limit (${number})`,
    fingerprint: `f${number}`,
    status: 'firing',
    severity: 'medium',
    severityGiven: true,
    service: null,
    environment: null,
    description: 'p99 over five minutes is 1,240 ms; the limit is 800 ms.',
    labels: { region: 'eu-north-1', pod: `checkout-${number % 40}`, version: '2026.11.3' },
    links: [],
    startedAt: null,
    endedAt: null,
    occurredAt: null,
    updateOnly: false,
    isTest: false,
    cuts: [],
    senderId: null,
  }
}
