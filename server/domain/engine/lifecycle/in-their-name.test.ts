import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { aMember } from '../../../test/factories.ts'
import type { WorkEvent } from '../../ports/work.ts'
import { listAudit } from '../../record/audit/list.ts'

const database = await testDatabase()
after(() => database.close())

const engine = new TestEngine(database.db)
const begin = async (input: Parameters<typeof OneRun.begin>[1] = {}) =>
  OneRun.begin(engine, { owner: await aMember(await engine.workspace(), 'owner'), ...input })

test('what is done later on a person’s behalf names that person, with the way in they used', async () => {
  const issue = { platform: 'pretend', key: 'SHOP-9', url: 'https://tracker.example.com/issues/SHOP-9' }
  const rejected = await begin({ preset: 'supervised', story: { tracker: issue } })
  await rejected.tell(goesWell.plan)
  await rejected.answer('reject', 'Not now.')
  const idea: WorkEvent = {
    type: 'proposal_made',
    proposal: {
      kind: 'strategy_proposal',
      fingerprint: 'labels',
      title: 'Print labels',
      body: 'Depots ask for it.',
      story: null,
    },
  }
  const accepted = await begin()
  await accepted.tell(idea)
  await accepted.answer('accept')
  await engine.sweep()
  for (const [run, event] of [
    [rejected, 'tracker_written'],
    [accepted, 'requirement_submitted'],
  ] as const) {
    const found = await listAudit(run.owner, { event, team: run.team.slug }, { limit: 9, after: null })
    const [entry, ...others] = found.data.map(fromJson)
    assert.equal(others.length, 0)
    assert.deepEqual(
      [entry?.actor.type, entry?.actor.userId, entry?.details.channel],
      ['human', (run.owner.actor as { userId: string }).userId, 'app'],
      event,
    )
  }
})
