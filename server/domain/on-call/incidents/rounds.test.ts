import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import fc from 'fast-check'
import { secretsFrom } from '../../../infra/secrets.ts'
import { beginWithin } from '../../../test/begin-within.ts'
import { testDatabase } from '../../../test/database.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'
import { until } from '../../../test/until.ts'
import type { Seal } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { sealAll, sealWith } from '../../record/seals/seal.ts'
import { verifyLog } from '../../record/seals/verify-log.ts'
import type { ReadAlert } from '../senders/reading/reading.ts'
import { follow, type KnownAlert } from '../signals/follow.ts'
import type { KnownSource } from '../signals/known-source.ts'
import { changeSource } from '../sources/change.ts'
import { handleSignals } from './handle.ts'

const database = await testDatabase()
after(() => database.close())
const { signing } = secretsFrom('a key for tests that is long enough')

/** On-call with a log that is sealed as it is written. */
async function aWorld() {
  const onCall = await OnCall.begin(database.db)
  const { clock, ctx } = onCall
  const seal = sealWith(signing, clock, () => {})
  const entries = async () =>
    (await listAudit(ctx, { event: 'signal_received' }, { limit: 500, after: null })).data.map(fromJson)
  const rows = async <Row>(text: string): Promise<Row[]> =>
    (await database.pool.query(text, [ctx.workspaceId])).rows as Row[]
  const findings = async () => {
    await sealAll(database.db, signing, clock)
    const { workspaceId } = ctx
    const report = await verifyLog(database.db, signing.publicKey, { now: clock.now(), workspaceId })
    return report.workspaces[0]!.findings
  }
  return { onCall, clock, ctx, seal, entries, rows, findings }
}

const reading = (alert: Partial<ReadAlert>, deliveryId: string | null = null) => ({
  ...{ alerts: [anAlert(alert)], test: false, problem: null, handshake: null },
  deliveryId,
})

const delivery = fc.record({
  source: fc.nat(1),
  fingerprint: fc.constantFrom('a', 'b', 'c'),
  status: fc.constantFrom('firing' as const, 'resolved' as const),
  key: fc.option(fc.constantFrom('x', 'y', 'z'), { freq: 3 }),
})

type Delivered = typeof delivery extends fc.Arbitrary<infer D> ? D : never

/** What arrives together; or a round, on one node or two, that may break off before its commit. */
const step = fc.oneof(
  fc.record({ arrive: fc.array(delivery, { minLength: 1, maxLength: 6 }) }),
  fc.record({ nodes: fc.integer({ min: 1, max: 2 }), breaksOff: fc.boolean() }),
)

test('whatever arrives in whatever company, and however often rounds break off: each is recorded once, in its order, under a seal', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 12 }),
      beginWithin(20_000, async (steps) => {
        const { onCall, clock, ctx, seal, entries, rows, findings } = await aWorld()
        const service = await onCall.service({ lowestSeverity: 'info' })
        const sources = [await onCall.source('generic', [service]), await onCall.source('generic', [service])]
        const model = new Map<string, { known: KnownAlert; count: number }>()
        const ids = new Map<string, string>()
        const accepted = new Set<string>()
        for (const one of steps) {
          clock.forward(1_000)
          if ('arrive' in one) {
            const received = await Promise.all(
              one.arrive.map(({ source, fingerprint, status, key }) =>
                onCall.receiver.receive(sources[source]!, reading({ fingerprint, status }, key)),
              ),
            )
            for (const [place, { deliveryId }] of received.entries()) {
              const { source, fingerprint, status, key }: Delivered = one.arrive[place]!
              const first: string | undefined = key === null ? undefined : ids.get(`${source} ${key}`)
              if (key !== null) ids.set(`${source} ${key}`, first ?? deliveryId)
              if (first !== undefined) {
                assert.equal(deliveryId, first, 'a repetition is answered with the id of the first')
                continue
              }
              assert.ok(!accepted.has(deliveryId))
              accepted.add(deliveryId)
              const name = `${sources[source]!.id} ${fingerprint}`
              const before = model.get(name)
              const read = anAlert({ fingerprint, status })
              const known = follow(before?.known ?? null, read, clock.now())
              model.set(name, { known, count: (before?.count ?? 0) + 1 })
            }
          } else {
            const breaking: Seal = async (...given) => {
              await seal(...given)
              throw new Error('killed before the commit')
            }
            const round = () => handleSignals(ctx, { seal: one.breaksOff ? breaking : seal }).catch(() => {})
            await Promise.all(Array.from({ length: one.nodes }, round))
          }
        }
        await handleSignals(ctx, { seal })
        const recorded = (await entries()).map(({ details }) => details.delivery as string)
        assert.deepEqual(
          recorded.toSorted(),
          [...accepted].toSorted(),
          'one entry for each that was accepted',
        )
        const written = await rows<{ id: string }>('select id from deliveries where workspace_id = $1')
        assert.deepEqual(written.map(({ id }) => id).toSorted(), [...accepted].toSorted())
        const alerts = await rows<{ name: string; status: string; count: number; occurred_at: Date }>(
          `select source_id || ' ' || fingerprint as name, status, count, occurred_at from alerts where workspace_id = $1`,
        )
        assert.deepEqual(
          new Map(
            alerts.map(({ name, status, count, occurred_at: at }) => [name, [status, count, at.getTime()]]),
          ),
          new Map(
            [...model].map(([name, { known, count }]) => [
              name,
              [known.status, count, known.occurredAt.getTime()],
            ]),
          ),
        )
        assert.deepEqual(await findings(), [])
      }),
    ),
    { numRuns: Number(process.env.RUNS ?? 12) },
  )
})

const services = 2
const sourcesOfMany = 4

/** Which services each source feeds, several of which others feed, too. */
const feeds = fc.array(fc.uniqueArray(fc.nat(services - 1), { minLength: 1 }), {
  minLength: sourcesOfMany,
  maxLength: sourcesOfMany,
})

const told = fc.record({
  source: fc.nat(sourcesOfMany - 1),
  fingerprint: fc.constantFrom('a', 'b'),
  status: fc.constantFrom('firing' as const, 'resolved' as const),
  severity: fc.constantFrom('high' as const, 'critical' as const),
  service: fc.nat(services - 1),
})

/** What arrives before rounds are taken by several nodes at the same time, some of which break off. */
const rush = fc.record({
  arrive: fc.array(told, { minLength: 1, maxLength: 12 }),
  nodes: fc.array(fc.constantFrom('works', 'breaks off'), { minLength: 1, maxLength: 3 }),
})

async function aRush(feeds: readonly number[][]) {
  const world = await aWorld()
  const { onCall, rows } = world
  const all = await Promise.all(
    Array.from({ length: services }, (_, n) => onCall.service({ lowestSeverity: 'info' }, `Service ${n}`)),
  )
  const sources: KnownSource[] = []
  for (const its of feeds)
    sources.push(
      await onCall.source(
        'generic',
        its.map((n) => all[n]!),
      ),
    )
  const send = ({
    source,
    fingerprint,
    service,
    ...rest
  }: typeof told extends fc.Arbitrary<infer T> ? T : never) =>
    onCall.receiver.receive(
      sources[source]!,
      reading({ ...rest, fingerprint, title: `${source} ${fingerprint}`, service: `Service ${service}` }),
    )
  const outcome = async () => ({
    incidents: await rows<{ name: string; status: string; alerts: string[] }>(
      `select s.name, i.title, i.severity, i.status, i.opened_at, i.resolved_at, (
         select array_agg(a.title order by a.title) from alerts_of_incidents a where a.incident_id = i.id
       ) as alerts, (
         select array_agg(e.text order by e.seq) from incident_events e where e.incident_id = i.id and e.type = 'opened'
       ) as steps
       from incidents i join services s on s.id = i.service_id where i.workspace_id = $1 order by s.name, i.id`,
    ),
    alerts: await rows(
      `select a.title, a.status, a.severity, a.count, a.reason, a.occurred_at, s.name, i.title as incident
       from alerts a left join services s on s.id = a.service_id left join incidents i on i.id = a.incident_id
       where a.workspace_id = $1 order by a.title`,
    ),
  })
  return { ...world, send, outcome }
}

const deadlocks = async () =>
  (
    await database.pool.query(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    )
  ).rows[0].deadlocks as number

test('many sources worked off side by side by several nodes come to the same incidents as one by one, each delivery once, and never in a deadlock', async () => {
  const before = await deadlocks()
  await fc.assert(
    fc.asyncProperty(
      feeds,
      fc.array(rush, { minLength: 1, maxLength: 4 }),
      beginWithin(20_000, async (feeds, rushes) => {
        const [many, alone] = [await aRush(feeds), await aRush(feeds)]
        const { ctx, seal } = many
        const breaking: Seal = async (...given) => {
          await seal(...given)
          throw new Error('killed before the commit')
        }
        const accepted: string[] = []
        for (const { arrive, nodes } of rushes) {
          for (const { clock } of [many, alone]) clock.forward(1_000)
          const received = await Promise.all(arrive.map(many.send))
          accepted.push(...received.map(({ deliveryId }) => deliveryId))
          await Promise.all(
            nodes.map((node) =>
              handleSignals(ctx, { seal: node === 'works' ? seal : breaking }).catch((error) =>
                assert.equal(error.message, 'killed before the commit'),
              ),
            ),
          )
          await handleSignals(ctx, { seal })
          for (const one of arrive) {
            await alone.send(one)
            await handleSignals(alone.ctx)
          }
        }
        assert.deepEqual(await many.outcome(), await alone.outcome())
        const recorded = (await many.entries()).map(({ details }) => details.delivery as string)
        assert.deepEqual(recorded.toSorted(), accepted.toSorted(), 'one entry for each that was accepted')
        assert.deepEqual(await many.findings(), [])
      }),
    ),
    { numRuns: Number(process.env.RUNS ?? 6) },
  )
  assert.equal(await deadlocks(), before)
})

test('of two sources of one service, what arrived first is understood first, whichever locks they have', async () => {
  const { send, ctx, outcome } = await aRush([[0], [0], [0], [0]])
  const say = (source: number, status: 'firing' | 'resolved') =>
    send({ source, fingerprint: 'a', status, severity: 'high', service: 0 })
  for (const source of [0, 1, 2, 3]) await say(source, 'firing')
  for (const source of [0, 1, 2, 3]) await say(source, 'resolved')
  await handleSignals(ctx)
  const { incidents } = await outcome()
  assert.deepEqual(
    incidents.map(({ status, alerts }) => [status, alerts]),
    [['resolved', ['0 a', '1 a', '2 a', '3 a']]],
  )
})

test('a round about a service waits for another node that is at it already, and a round about another service does not', async () => {
  const { onCall, ctx, seal, rows, entries } = await aWorld()
  /** Whether one of them has the same of so many locks: those who have wait for each other with nothing in common. */
  const sharesLock = async (locks: number, id: string, others: readonly { id: string }[]) => {
    const { rows: same } = await database.pool.query(
      'select from unnest($1::text[]) as id where (hashtext(id) & $3) = (hashtext($2) & $3)',
      [others.map((other) => other.id), id, locks - 1],
    )
    return same.length > 0
  }
  const shops = [await onCall.service({}, 'Shop')]
  while (shops.length < 2) {
    const service = await onCall.service({})
    if (!(await sharesLock(64, service.id, shops))) shops.push(service)
  }
  const sources: KnownSource[] = []
  const aSource = async (service: (typeof shops)[number]) => {
    for (;;) {
      const source = await onCall.source('generic', [service])
      if (await sharesLock(16, source.id, sources)) continue
      sources.push(source)
      return (title: string, severity: ReadAlert['severity'] = 'critical') =>
        onCall.receiver.receive(source, reading({ title, severity }))
    }
  }
  const [fire, fireToo] = [await aSource(shops[0]!), await aSource(shops[0]!)]
  const fireElsewhere = await aSource(shops[1]!)
  const incidents = () =>
    rows<{ name: string; alerts: string[] }>(
      `select s.name, (select array_agg(a.title order by a.title) from alerts a where a.incident_id = i.id) as alerts
       from incidents i join services s on s.id = i.service_id where i.workspace_id = $1 order by s.name`,
    )
  const [isHeld, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await fire('one')
  const first = handleSignals(ctx, {
    async seal(...given) {
      isHeld.resolve()
      await mayEnd.promise
      return seal(...given)
    },
  })
  await isHeld.promise
  // From now on nothing says that the two have to do with each other, except what the first round is about to write.
  await changeSource(onCall.admin, onCall.secrets, sources[0]!.id, { services: [] })
  await fireToo('two')
  const second = handleSignals(ctx, { seal })
  // Of no incident: two rounds that open one wait for each other, because its key is the workspace's next.
  await fireElsewhere('three', 'info')
  const third = handleSignals(ctx, { seal })
  await until('the other service has its alert', async () =>
    (await rows<{ title: string }>('select title from alerts where workspace_id = $1')).some(
      ({ title }) => title === 'three',
    ),
  )
  await until('the second waits for the service', async () => {
    const text = "select from pg_locks where locktype = 'advisory' and classid = 4407 and not granted"
    return (await database.pool.query(text)).rows.length > 0
  })
  mayEnd.resolve()
  await Promise.all([first, second, third])
  assert.deepEqual(await incidents(), [{ name: 'Shop', alerts: ['one', 'two'] }])
  assert.deepEqual((await entries()).map(({ details }) => details.problem).filter(Boolean), [])
})

test('what arrives while nodes work it off is taken once and in the order of its source, and a service never has two open incidents', async () => {
  const { send, ctx, seal, rows, entries, findings } = await aRush([[0], [0, 1], [1], [], [0], [1]])
  const accepted: string[] = []
  const firing = new Map<string, boolean>()
  let isOver = false
  const node = async () => {
    while (!isOver) await handleSignals(ctx, { seal, mostBytes: 2_048 })
  }
  const nodes = [node(), node(), node()]
  for (let turn = 0; turn < 40; turn += 1) {
    const status = turn % 4 === 3 ? ('resolved' as const) : ('firing' as const)
    const received = await Promise.all(
      Array.from({ length: 6 }, (_, source) => {
        firing.set(`${source} a`, status === 'firing')
        return send({ source, fingerprint: 'a', status, severity: 'high', service: turn % 2 })
      }),
    )
    accepted.push(...received.map(({ deliveryId }) => deliveryId))
  }
  isOver = true
  await Promise.all(nodes)
  await handleSignals(ctx, { seal })
  const recorded = (await entries()).map(({ details }) => details.delivery as string)
  assert.deepEqual(recorded.toSorted(), accepted.toSorted())
  const alerts = await rows<{ title: string; firing: boolean; count: number }>(
    `select title, status = 'firing' as firing, count from alerts where workspace_id = $1`,
  )
  assert.deepEqual(new Map(alerts.map(({ title, firing }) => [title, firing])), firing)
  assert.ok(alerts.every(({ count }) => count === 40))
  const wrong = await rows(
    `select i.key from incidents i where i.workspace_id = $1 and (i.status = 'open') is distinct from
       exists (select from alerts a where a.incident_id = i.id and a.status = 'firing')`,
  )
  assert.deepEqual(wrong, [])
  assert.deepEqual(await findings(), [])
})

test('a delivery that no one can process is recorded as such, and holds up none of its company', async () => {
  const { onCall, ctx, seal, entries, rows, findings } = await aWorld()
  const source = await onCall.source('generic', [await onCall.service({ lowestSeverity: 'info' })])
  const receive = (alert: Partial<ReadAlert>) => onCall.receiver.receive(source, reading(alert))
  // No reader lets it through: the database takes no NUL.
  const [, bad] = await Promise.all([
    receive({ fingerprint: 'before' }),
    receive({ fingerprint: 'bad', title: 'a\0b' }),
    receive({ fingerprint: 'after' }),
  ])
  assert.equal(await handleSignals(ctx, { seal }), 3)
  const alerts = await rows<{ fingerprint: string }>('select fingerprint from alerts where workspace_id = $1')
  assert.deepEqual(alerts.map(({ fingerprint }) => fingerprint).toSorted(), ['after', 'before'])
  assert.equal((await entries()).length, 3)
  const problems = (await entries()).filter(({ details }) => details.problem !== undefined)
  assert.deepEqual(
    problems.map(({ details }) => [details.delivery, details.problem]),
    [[bad.deliveryId, 'The delivery could not be processed.']],
  )
  assert.deepEqual(await findings(), [])
})

test('a source that floods is no queue for another of its workspace', async () => {
  const { onCall, ctx, rows } = await aWorld()
  const service = await onCall.service({ lowestSeverity: 'info' })
  const [flood, whisper] = [
    await onCall.source('generic', [service]),
    await onCall.source('generic', [service]),
  ]
  const description = 'x'.repeat(5_000)
  const send = (source: KnownSource, fingerprint: string) =>
    onCall.receiver.receive(source, reading({ fingerprint, description }))
  for (let batch = 0; batch < 20; batch += 1)
    await Promise.all(Array.from({ length: 10 }, (_, one) => send(flood, `${batch} ${one}`)))
  await send(whisper, 'whisper')
  // A round that takes a tenth of all that waits.
  const broken: Seal = async () => {
    throw new Error('one round is enough')
  }
  let rounds = 0
  const first: Seal = async (...given) => {
    rounds += 1
    return rounds === 1 ? false : broken(...given)
  }
  await assert.rejects(handleSignals(ctx, { seal: first, mostBytes: 131_072 }), /one round is enough/)
  const alerts = await rows<{ fingerprint: string }>('select fingerprint from alerts where workspace_id = $1')
  assert.ok(alerts.length < 100, `${alerts.length} in one round`)
  assert.ok(alerts.some(({ fingerprint }) => fingerprint === 'whisper'))
})

test('entries of a round are under their seal when the round is over', async () => {
  const { onCall, ctx, seal, rows } = await aWorld()
  const source = await onCall.source('generic', [await onCall.service()])
  await onCall.receiver.receive(source, reading({ fingerprint: 'a' }))
  await handleSignals(ctx, { seal })
  const unsealed = await rows<{ event: string }>(
    `select e.event from audit_entries e where e.workspace_id = $1 and e.event in ('signal_received', 'incident_opened')
       and not exists (select from audit_leaves l where l.entry_id = e.id)`,
  )
  assert.deepEqual(unsealed, [])
})

for (const [says, refusal] of Object.entries({
  'that lacks a month which cannot be made': { routine: 'ExecFindPartition' },
  'that meets another each time': { code: '40001' },
})) {
  test(`a round ${says} is given up after a few tries, and nothing is lost`, async () => {
    const { onCall, ctx, entries } = await aWorld()
    const source = await onCall.source('generic', [await onCall.service()])
    await onCall.receiver.receive(source, reading({}))
    let tries = 0
    const seal: Seal = async () => {
      tries += 1
      if (tries > 20) throw new Error('It was tried for ever.')
      throw Object.assign(new Error('It fails each time.'), refusal)
    }
    await assert.rejects(handleSignals(ctx, { seal }), /It fails each time/)
    assert.equal(await handleSignals(ctx), 1)
    assert.equal((await entries()).length, 1)
  })
}
