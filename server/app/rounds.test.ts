import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { createService } from '../domain/on-call/services/create.ts'
import { Receiver } from '../domain/on-call/signals/receive.ts'
import { addSource } from '../domain/on-call/sources/add.ts'
import { sealAll } from '../domain/record/seals/seal.ts'
import { verifyLog } from '../domain/record/seals/verify-log.ts'
import { systemClock } from '../infra/clock.ts'
import { Jobs } from '../infra/jobs/queue.ts'
import { createLog } from '../infra/log.ts'
import { createMetrics } from '../infra/metrics.ts'
import { secretsFrom } from '../infra/secrets.ts'
import { testDatabase } from '../test/database.ts'
import { aMember, aTeam, aWorkspace } from '../test/factories.ts'
import { anAlert } from '../test/on-call/on-call.ts'
import { until } from '../test/until.ts'
import type { Config } from './config.ts'
import type { Base } from './parts.ts'
import { startRounds } from './rounds.ts'
import type { Storage } from './storage.ts'

/** The thread that works off a rush may end at any point of it. FAULTS=all ends it a hundred times. */

const times = process.env.FAULTS === 'all' ? 100 : 3
const clock = systemClock
const database = await testDatabase()
after(() => database.close())
const secrets = secretsFrom('a key for tests that is long enough')
const queue = new Jobs({ pool: database.pool, onError: () => {} })
after(() => queue.stop())

test('a thread that ends in the middle of a rush loses nothing, does nothing twice, and its work goes on without it', async () => {
  const { base, lines } = aBase()
  let thread: Worker | undefined
  let ready = false
  const onThread = (worker: Worker) => {
    thread = worker
    ready = false
    worker.on('message', ({ type }) => {
      if (type === 'ready') ready = true
    })
  }
  const rounds = startRounds(base, queue, { from: 1, onThread })
  const { workspaceId, arrive, accepted } = await aSource()
  for (let time = 0; time < times; time += 1) {
    await arrive(20)
    await rounds.take(workspaceId)
    await until('the thread is there', () => ready)
    await arrive(400)
    const taken = rounds.take(workspaceId)
    // Not at the same point of its work each time.
    await sleep((time * 37) % 150)
    await thread!.terminate()
    await taken
  }
  await arrive(10)
  await rounds.take(workspaceId)
  await rounds.stop()
  const { rows } = await database.pool.query(
    `select (select count(*)::int from intake where workspace_id = $1) as waiting,
       array(select e.entry::json #>> '{details,delivery}' from audit_entries e
         where e.workspace_id = $1 and e.event = 'signal_received' order by 1) as entries,
       (select sum(count)::int from alerts where workspace_id = $1) as told`,
    [workspaceId],
  )
  assert.equal(rows[0].waiting, 0)
  assert.deepEqual(rows[0].entries, accepted.toSorted(), 'one entry for each that was accepted')
  assert.equal(rows[0].told, accepted.length, 'each alert counted once')
  assert.ok(lines.some((line) => line.includes('the thread of the alert intake ended')))
  await sealAll(database.db, secrets.signing, clock)
  const report = await verifyLog(database.db, secrets.signing.publicKey, { now: clock.now() })
  assert.deepEqual(
    report.workspaces.flatMap(({ findings }) => findings),
    [],
  )
})

test('a thread with nothing to do goes after a while, and never in the middle of its work', async () => {
  const { base, lines } = aBase()
  const idleMs = 200
  const { workspaceId, arrive } = await aSource()
  const begun = Promise.withResolvers<{ thread: Worker; taken: Promise<number> }>()
  const onThread = (thread: Worker) =>
    thread.once('message', () => begun.resolve({ thread, taken: rounds.take(workspaceId) }))
  const rounds = startRounds(base, queue, { from: 10, idleMs, onThread })
  await arrive(10)
  await rounds.take(workspaceId)
  // More than one round takes.
  await arrive(200, 'x'.repeat(5_000))
  const lock = await database.pool.connect()
  await lock.query('begin; lock table intake in access exclusive mode')
  const { thread, taken } = await begun.promise
  const gone = once(thread, 'exit')
  // Whatever was to end it by then was due before this.
  await sleep(2 * idleMs)
  await lock.query('commit')
  lock.release()
  assert.equal(await taken, 200, 'taken by the thread to the end')
  await gone
  await arrive(3)
  assert.equal(await rounds.take(workspaceId), 3, 'taken without it')
  await rounds.stop()
  assert.deepEqual(lines, [])
})

function aBase(): { base: Base; lines: string[] } {
  const lines: string[] = []
  const base = {
    clock,
    config: { databaseStatementSeconds: 300 } as Config,
    log: createLog({ level: 'warn', to: { write: (line) => lines.push(line) } }),
    metrics: createMetrics(database),
    storage: { ...database, asAppRole: true, secrets } as unknown as Storage,
  }
  return { base, lines }
}

/** A source in a workspace of its own, whose alerts arrive when they are told to. */
async function aSource() {
  const owner = await aMember(await aWorkspace(database.db), 'owner')
  const { slug: team } = await aTeam(owner)
  const settings = { lowestSeverity: 'info' } as const
  const { id: service } = fromJson(await createService(owner, { name: 'checkout', team, settings }))
  const added = await addSource(owner, secrets, { kind: 'generic', name: 's', services: [service] })
  const source = {
    id: fromJson(added.source).id,
    workspaceId: owner.workspaceId,
    kind: 'generic',
    name: 's',
    paused: false,
    proof: () => ({ secrets: [], settings: {} }),
  } as const
  const receiver = new Receiver({ db: database.db, clock, onWritten: () => undefined })
  const accepted: string[] = []
  const arrive = async (count: number, description: string | null = null) => {
    const received = Array.from({ length: count }, () =>
      receiver.receive(source, {
        alerts: [anAlert({ fingerprint: `f${accepted.length % 50}`, description })],
        ...{ test: false, problem: null, deliveryId: null, handshake: null },
      }),
    )
    for (const { deliveryId } of await Promise.all(received)) accepted.push(deliveryId)
  }
  return { workspaceId: owner.workspaceId, arrive, accepted }
}
