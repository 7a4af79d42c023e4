import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import fc from 'fast-check'
import { secretsFrom } from '../../../infra/secrets.ts'
import { testDatabase } from '../../../test/database.ts'
import { anAlert, OnCall } from '../../../test/on-call/on-call.ts'
import type { Seal } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { sealAll, sealWith } from '../../record/seals/seal.ts'
import { verifyLog } from '../../record/seals/verify-log.ts'
import type { ReadAlert } from '../senders/reading/reading.ts'
import { follow, type KnownAlert } from '../signals/follow.ts'
import type { KnownSource } from '../signals/known-source.ts'
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
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
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
      assert.deepEqual(recorded.toSorted(), [...accepted].toSorted(), 'one entry for each that was accepted')
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
    { numRuns: Number(process.env.RUNS ?? 12), interruptAfterTimeLimit: 20_000 },
  )
})

test('a delivery that nobody can process is recorded as such, and holds up none of its company', async () => {
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
