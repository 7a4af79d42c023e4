import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type PersonAnswer, type Presence, personAnswers, presences } from '@signalbox/contract/presence.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { type Beginning, OneRun } from '../../../test/engine/one-run.ts'
import type { Context } from '../../context.ts'
import type { WorkEvent } from '../../ports/work.ts'
import { readDecisionPage } from '../../work/decisions/read-page.ts'
import { resolveDecision } from './resolve.ts'

const database = await testDatabase()
after(() => database.close())
const engine = new TestEngine(database.db)

const present = (ctx: Context, presence?: Presence): Context => ({
  ...ctx,
  origin: presence ? { presence } : {},
})

interface Asking extends Beginning {
  events: WorkEvent[]
  optionId: string
}

const situations: Record<PersonAnswer, Asking> = {
  plan: { departures: { planApproval: 'always' }, events: [goesWell.plan], optionId: 'approve' },
  exception: {
    departures: { deniedPaths: ['infra/**'] },
    events: [{ ...goesWell.plan, paths: ['infra/main.tf'] }],
    optionId: 'allow',
  },
  merge: {
    departures: { mergePolicy: 'ask' },
    events: [goesWell.plan, goesWell.change, goesWell.gates, goesWell.pushed],
    optionId: 'merge',
  },
}

const refused = { code: 'person_required' }

for (const kind of personAnswers)
  test(`where the policy asks for a person for ${kind}, a token answers nothing of it, and a person does`, async () => {
    const { events, departures, ...under } = situations[kind]
    const run = await OneRun.begin(engine, {
      ...under,
      departures: { ...departures, personAnswers: [kind], acceptanceRequired: true },
    })
    await run.tell(...events)
    const { key, options } = await run.asked()
    for (const { id } of options)
      for (const presence of ['token', undefined] as const)
        await assert.rejects(
          resolveDecision(present(run.owner, presence), { key, optionId: id }),
          refused,
          id,
        )
    await resolveDecision(present(run.owner, 'session'), { key, optionId: options[0]!.id })
    const [entry] = (await run.audit()).filter(({ event }) => event === 'decision_resolved')
    assert.deepEqual(entry?.details.origin, { presence: 'session', role: 'owner' })
  })

test('without such a policy each of them answers, and the row says how they were there', async () => {
  for (const presence of presences) {
    const run = await OneRun.waitingForApproval(engine)
    const { key } = await run.asked()
    await resolveDecision(present(run.owner, presence), { key, optionId: 'approve' })
    assert.equal((await readDecisionPage(run.owner, null, key)).decision.resolvedPresence, presence)
  }
})

test('a person is asked for what is named, and for nothing else', async () => {
  const run = await OneRun.begin(engine, {
    departures: { planApproval: 'always', personAnswers: ['merge', 'exception'] },
  })
  await run.tell(goesWell.plan)
  await resolveDecision(present(run.owner, 'token'), { key: (await run.asked()).key, optionId: 'approve' })
})
