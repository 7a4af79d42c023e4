import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Decision } from '@signalbox/contract/decision.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { inTransaction } from '../../../infra/db/db.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aMember } from '../../../test/factories.ts'
import type { Context } from '../../context.ts'
import type { WorkEvent } from '../../ports/work.ts'
import { change } from '../../record/audit/change.ts'
import { listAudit } from '../../record/audit/list.ts'
import { readDecision } from '../../work/decisions/read.ts'
import { markResolved, selectAnswerable } from '../lifecycle/decision-store.ts'
import { raiseDecision } from '../lifecycle/raise.ts'
import { stopRun } from '../lifecycle/stop.ts'
import { resolveDecision } from './resolve.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const days = 86_400_000

async function aQuestion() {
  const run = await OneRun.waitingForApproval(engine)
  return { run, owner: run.owner, key: (await run.asked()).key }
}

const approve = (ctx: Context, key: string, idempotencyKey?: string) =>
  resolveDecision(ctx, { key, optionId: 'approve', idempotencyKey })

const answersIn = async (owner: Context) => {
  const page = await listAudit(owner, { event: 'decision_resolved' }, { limit: 100, after: null })
  return page.data.map(fromJson)
}

const statusOf = async (ctx: Context, key: string) => fromJson(await readDecision(ctx, key)).status

test('an answer is recorded with its option, note, channel and time, and in the log with the person', async () => {
  const { owner, key, run } = await aQuestion()
  const resolved = fromJson(
    await resolveDecision(owner, { key, optionId: 'changes', note: 'Keep the interface.' }),
  )
  const { effects, ...decision } = resolved
  assert.deepEqual(decision, fromJson(await readDecision(owner, key)))
  assert.equal(decision.status, 'resolved')
  assert.deepEqual(decision.resolution, { optionId: 'changes', note: 'Keep the interface.' })
  assert.equal(decision.resolvedVia, 'app')
  assert.equal(decision.resolvedAt, engine.clock.now().toISOString())
  assert.deepEqual(
    effects.map(({ type, status, target }) => ({ type, status, target })),
    [{ type: 'run_continued', status: 'queued', target: { type: 'run', id: run.key } }],
  )

  const [entry, ...others] = await answersIn(owner)
  assert.equal(others.length, 0)
  assert.deepEqual(entry?.actor, {
    type: 'human',
    name: owner.actor.name,
    userId: owner.actor.type === 'human' ? owner.actor.userId : null,
  })
  assert.equal(entry?.runKey, run.key)
  assert.equal(entry?.entity.id, key)
  assert.equal(entry?.details.channel, 'app')
  assert.equal(entry?.details.optionId, 'changes')
  assert.equal(entry?.details.note, 'Keep the interface.')
})

test('what readers see of an answer is what the database would render, letter for letter of every field', async () => {
  const { owner, key } = await aQuestion()
  const note = 'Ünïcode "quoted" \\ back\nline \u2028 🙂 </script>'
  await resolveDecision(owner, { key, optionId: 'changes', note })
  const seen = fromJson(await readDecision(owner, key))
  // An update that leaves `wire` as it is has the database render it from the row.
  await database.pool.query('update decisions set wire = wire where workspace_id = $1 and key = $2', [
    owner.workspaceId,
    key,
  ])
  const rendered = fromJson(await readDecision(owner, key))
  assert.deepEqual(seen, rendered)
  assert.deepEqual(Object.keys(seen), Object.keys(rendered))
  assert.equal(seen.resolution?.note, note)
})

test('an answer that overlaps with another title of the story shows that title', async () => {
  const { owner, key } = await aQuestion()
  const before = (await selectAnswerable(owner.db, owner.workspaceId, key))!
  await database.pool.query('update stories set title = $2 where workspace_id = $1', [
    owner.workspaceId,
    'Another title',
  ])
  const answer = {
    optionId: 'approve',
    note: null,
    by: null,
    via: 'api',
    presence: null,
    at: engine.clock.now(),
  }
  const resolved = await inTransaction(owner.db, (tx) => markResolved(tx, owner.workspaceId, before, answer))
  assert.equal(fromJson(resolved!).story?.title, 'Another title')
  assert.equal(fromJson(resolved!).status, 'resolved')
  assert.equal(fromJson(resolved!).resolvedVia, 'api')
})

test('the first answer wins, and the second person is told who was first, and with what', async () => {
  const { owner, key } = await aQuestion()
  await approve(owner, key)
  await assert.rejects(resolveDecision(owner, { key, optionId: 'reject' }), {
    code: 'decision_already_resolved',
    message: /: .+ answered `approve` in the app\. The first answer wins\.$/,
  })
  assert.equal(fromJson(await readDecision(owner, key)).resolution?.optionId, 'approve')
  assert.equal((await answersIn(owner)).length, 1)
})

test('of many who answer at once, one does, and its action takes effect once', async () => {
  const { run, owner, key } = await aQuestion()
  const options = ['approve', 'changes', 'reject']
  const answers = await Promise.allSettled(
    Array.from({ length: 24 }, (_, n) => resolveDecision(owner, { key, optionId: options[n % 3]! })),
  )
  const won = answers.filter((answer) => answer.status === 'fulfilled')
  assert.equal(won.length, 1)
  for (const lost of answers.filter((answer) => answer.status === 'rejected'))
    assert.equal(lost.reason.code, 'decision_already_resolved')
  const [entry, ...others] = await answersIn(owner)
  assert.equal(others.length, 0)
  assert.equal(entry?.details.optionId, fromJson(won[0]!.value).resolution?.optionId)
  const moves = (await run.audit()).filter(
    ({ event, details }) =>
      event === 'run_state_changed' &&
      (details.changes as { field: string; before: unknown }[]).some(
        ({ field, before }) => field === 'status' && before === 'waiting',
      ),
  )
  assert.equal(moves.length, 1, 'the run left the question once')
})

test('an option the decision does not have is refused, and nothing is changed', async () => {
  const { run, owner, key } = await aQuestion()
  const before = await readDecision(owner, key)
  for (const optionId of ['merge', 'Approve', '', 'approve '])
    await assert.rejects(resolveDecision(owner, { key, optionId }), { code: 'invalid_option' })
  assert.equal(await readDecision(owner, key), before)
  assert.equal((await run.read()).status, 'waiting')
  assert.deepEqual(await answersIn(owner), [])
})

test('an unknown key is not found, nor is one of another workspace', async () => {
  const { owner, key } = await aQuestion()
  const elsewhere = await engine.workspace()
  await assert.rejects(approve(owner, 'dec-none'), { code: 'decision_not_found' })
  await assert.rejects(approve(elsewhere, key), { code: 'decision_not_found' })
  assert.equal(await statusOf(owner, key), 'pending')
})

const leastRoles: { authority: Role; answers: Role[]; refused: Role[]; raise: WorkEvent[] }[] = [
  { authority: 'member', answers: ['owner', 'admin', 'member'], refused: [], raise: [goesWell.plan] },
  {
    authority: 'admin',
    answers: ['owner', 'admin'],
    refused: ['member'],
    raise: [{ ...goesWell.plan, paths: ['.kanman/acceptance/a.md'] }],
  },
  {
    authority: 'owner',
    answers: ['owner'],
    refused: ['admin', 'member'],
    raise: [
      {
        type: 'proposal_made',
        proposal: {
          kind: 'strategy_proposal',
          fingerprint: 'windows',
          title: 'Windows',
          body: 'x',
          story: null,
        },
      },
    ],
  },
]

for (const { authority, answers, refused, raise } of leastRoles) {
  test(`a decision for the authority ${authority} is answered by ${answers.join(', ')} alone`, async () => {
    for (const role of answers) {
      const run = await OneRun.begin(engine, { preset: 'supervised' })
      await run.tell(...raise)
      const decision = await run.asked()
      assert.equal(decision.authority, authority)
      for (const lower of refused) {
        const person = await aMember(run.owner, lower)
        await assert.rejects(
          resolveDecision(person, { key: decision.key, optionId: decision.options[0]!.id }),
          {
            code: 'insufficient_role',
          },
        )
      }
      const person = await aMember(run.owner, role)
      await resolveDecision(person, { key: decision.key, optionId: decision.options[0]!.id })
      assert.equal(await statusOf(run.owner, decision.key), 'resolved')
    }
  })
}

test('a role that does not suffice is told before the option is looked at', async () => {
  const run = await OneRun.begin(engine)
  await run.tell({ ...goesWell.plan, paths: ['.kanman/acceptance/a.md'] })
  const { key } = await run.asked()
  const member = await aMember(run.owner, 'member')
  await assert.rejects(resolveDecision(member, { key, optionId: 'no such option' }), {
    code: 'insufficient_role',
  })
})

const closed: Record<Exclude<Decision['status'], 'pending' | 'resolved'>, (run: OneRun) => Promise<void>> = {
  expired: async () => {
    engine.clock.forward(7 * days)
    await engine.sweep()
  },
  cancelled: async (run) => stopRun(run.owner, run.key, { confirmed: true }),
  superseded: async (run) => {
    await change(engine.service(run.owner.workspaceId), async (tx) => {
      const raised = await raiseDecision(engine.service(run.owner.workspaceId), tx, {
        kind: 'plan_approval',
        title: 'A newer plan',
        facts: { plan: '2. Do it better.', because: 'it is newer' },
        team: run.team,
        story: run.story,
        run: { id: run.order.runId, key: run.key },
      })
      return { value: raised.key, audit: raised.entries }
    })
  },
}

for (const [status, close] of Object.entries(closed)) {
  test(`a decision that is ${status} cannot be answered any more`, async () => {
    const { run, owner, key } = await aQuestion()
    await close(run)
    assert.equal(await statusOf(owner, key), status)
    const before = await run.read()
    await assert.rejects(approve(owner, key), { code: 'decision_not_pending', message: new RegExp(status) })
    assert.deepEqual(await run.read(), before)
    assert.deepEqual(await answersIn(owner), [])
  })
}

test('a decision whose time is over cannot be answered, even before the timer has come by', async () => {
  const { owner, key } = await aQuestion()
  engine.clock.forward(7 * days)
  await assert.rejects(approve(owner, key), { code: 'decision_not_pending', message: /expired/ })
  assert.equal(await statusOf(owner, key), 'pending')
})

test('a millisecond before its time is over, it is answered', async () => {
  const { owner, key } = await aQuestion()
  engine.clock.forward(7 * days - 1)
  await approve(owner, key)
  assert.equal(await statusOf(owner, key), 'resolved')
})

test('a note has up to 4,000 characters as people count them, and is kept as it was written', async () => {
  for (const note of ['x'.repeat(4_000), '🚂'.repeat(4_000), ' # not *ours* <b>\n\ttabs ']) {
    const { owner, key } = await aQuestion()
    await resolveDecision(owner, { key, optionId: 'changes', note })
    assert.equal(fromJson(await readDecision(owner, key)).resolution?.note, note)
  }
})

test('a longer note, a NUL or half a character in it are refused, and nothing is changed', async () => {
  const { owner, key } = await aQuestion()
  for (const note of ['x'.repeat(4_001), '🚂'.repeat(4_001), 'before\0after', 'half \ud83d a train'])
    await assert.rejects(resolveDecision(owner, { key, optionId: 'changes', note }), {
      code: 'invalid_request',
      message: /`note`/,
    })
  assert.equal(await statusOf(owner, key), 'pending')
})

test('a blank note is no note', async () => {
  for (const note of ['', '   ', ' \n\t ', null, undefined]) {
    const { owner, key } = await aQuestion()
    await resolveDecision(owner, { key, optionId: 'changes', ...(note === undefined ? {} : { note }) })
    assert.equal(fromJson(await readDecision(owner, key)).resolution?.note, null)
  }
})

test('the same request with the same key gets the same answer, letter for letter, and is one answer', async () => {
  const { owner, key } = await aQuestion()
  const first = await approve(owner, key, 'k-1')
  engine.clock.forward(60_000)
  assert.equal(await approve(owner, key, 'k-1'), first)
  assert.equal((await answersIn(owner)).length, 1)
  await assert.rejects(approve(owner, key, 'k-2'), { code: 'decision_already_resolved' })
})

test('the same key for another answer is a mistake, told as such', async () => {
  const { owner, key } = await aQuestion()
  await approve(owner, key, 'k-1')
  for (const other of [{ optionId: 'reject' }, { optionId: 'approve', note: 'and thanks' }])
    await assert.rejects(resolveDecision(owner, { key, ...other, idempotencyKey: 'k-1' }), {
      code: 'idempotency_key_reused',
    })
  const next = await OneRun.begin(engine, { preset: 'supervised', owner })
  await next.tell(goesWell.plan)
  await assert.rejects(approve(owner, (await next.asked()).key, 'k-1'), { code: 'idempotency_key_reused' })
})

test('requests with the same key that come at once all get the one answer', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { owner, key } = await aQuestion()
    const answers = await Promise.all(Array.from({ length: 6 }, () => approve(owner, key, 'k-1')))
    assert.equal(new Set(answers).size, 1)
    assert.equal((await answersIn(owner)).length, 1)
  }
})

test('the keys of two people do not meet', async () => {
  const { owner, key } = await aQuestion()
  const other = await aMember(owner, 'member')
  await approve(owner, key, 'k-1')
  await assert.rejects(approve(other, key, 'k-1'), { code: 'decision_already_resolved' })
  const next = await OneRun.begin(engine, { preset: 'supervised', owner })
  await next.tell(goesWell.plan)
  await approve(other, (await next.asked()).key, 'k-1')
})

test('a key is kept for a day and then forgotten', async () => {
  const { owner, key } = await aQuestion()
  const first = await approve(owner, key, 'k-1')
  engine.clock.forward(days)
  await engine.sweep()
  assert.equal(await approve(owner, key, 'k-1'), first, 'kept for the whole day')
  engine.clock.forward(1)
  await engine.sweep()
  await assert.rejects(approve(owner, key, 'k-1'), { code: 'decision_already_resolved' })
})

test('an answer that was refused leaves no key behind', async () => {
  const { owner, key } = await aQuestion()
  await approve(owner, key)
  await assert.rejects(approve(owner, key, 'k-1'), { code: 'decision_already_resolved' })
  const next = await OneRun.begin(engine, { preset: 'supervised', owner })
  await next.tell(goesWell.plan)
  await approve(owner, (await next.asked()).key, 'k-1')
})
