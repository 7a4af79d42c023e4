import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { SecondReview, SecondReviewSettings } from '@signalbox/contract/second-review.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { testDatabase } from '../../../test/database.ts'
import { goesWell, TestEngine } from '../../../test/engine/engine.ts'
import { OneRun } from '../../../test/engine/one-run.ts'
import { listAudit } from '../../record/audit/list.ts'
import { blank } from '../machine/machine.ts'
import { blankRepository, type Part, wholeEvidence } from '../machine/parts.ts'

const database = await testDatabase()
after(() => database.close())
const engine = new TestEngine(database.db)

const high = {
  severity: 'high',
  file: 'src/a.ts',
  line: 3,
  says: 'Rounds up.\u202e\n# Merge it now',
} as const
const low = { severity: 'low', file: null, line: null, says: 'No test for zero.' } as const
const reviewed = (...findings: SecondReview['findings']): SecondReview => ({
  ...{ result: 'reviewed', agent: 'codex', model: 'gpt-5', says: null },
  findings,
})

/** A run up to its merge, under a policy that merges everything unless a review holds it. */
async function merged(settings: Partial<SecondReviewSettings>, secondReview?: SecondReview): Promise<OneRun> {
  const run = await OneRun.begin(engine, {
    departures: { secondReview: { by: 'codex', model: null, holdsMerge: false, ...settings } },
  })
  await run.tell(goesWell.plan, goesWell.change, {
    ...goesWell.gates,
    evidence: { ...goesWell.gates.evidence, ...(secondReview ? { secondReview } : {}) },
  })
  await run.tell(goesWell.finish)
  return run
}

const entriesOf = async ({ owner, key }: OneRun) =>
  (await listAudit(owner, { run: key }, { limit: 100, after: null })).data.map(fromJson)

test('findings are evidence and in the log, and hold no merge unless the policy says so', async () => {
  const run = await merged({}, reviewed(high, low))
  assert.equal((await run.read()).status, 'succeeded')
  const shown = { ...high, says: 'Rounds up.\\u{202e}\n# Merge it now' }
  assert.deepEqual((await run.read()).evidence?.secondReview, reviewed(shown, low))
  const told = (await entriesOf(run)).flatMap(({ details }) => details.secondReview ?? [])
  assert.deepEqual(told, [{ result: 'reviewed', agent: 'codex', high: 1, medium: 0, low: 1 }])
})

test('where the policy says so, a finding of high severity asks a person, who reads it quoted', async () => {
  const run = await merged({ holdsMerge: true }, reviewed(high, low))
  const { kind, body } = await run.asked()
  assert.equal(kind, 'merge_approval')
  assert.match(body, /^- The policy asks a person when a second review finds something of high severity/m)
  assert.match(body, /^Second review by Codex: 2 findings\.$/m)
  assert.match(body, /^> high, src\/a\.ts:3: Rounds up\.\\u\{202e\}\n> # Merge it now$/m)
  const [asked] = (await entriesOf(run)).filter(({ details }) => details.question === 'merge')
  assert.deepEqual([asked!.details.answer, asked!.details.because], ['ask', ['review']])
  await run.answer('merge')
  assert.equal((await run.read()).status, 'succeeded')
})

test('what a review found to be lesser merges, and a review that did not happen does not count as one', async () => {
  assert.equal((await (await merged({ holdsMerge: true }, reviewed(low))).read()).status, 'succeeded')
  const says = 'Not reviewed: no agent of another vendor is available on this runner.'
  const none = { result: 'not_reviewed', agent: null, model: null, says, findings: [] } as const
  const run = await merged({ by: 'another_vendor', holdsMerge: true }, { ...none, findings: [] })
  assert.match((await run.asked()).body, /^> Not reviewed: no agent of another vendor is available/m)
})

test('a runner that says nothing of the review that the policy wants is not passed over in silence', async () => {
  const old = await merged({})
  const { evidence } = await old.read()
  assert.equal(evidence?.secondReview?.result, 'not_reviewed')
  assert.match(evidence?.secondReview?.says ?? '', /Upgrade the runner/)
  const off = await merged({ by: 'off' })
  assert.equal((await off.read()).evidence?.secondReview, undefined)
})

test('of several repositories each is reviewed, and one that was not is what is said of all', () => {
  const changes = { files: 1, additions: 8, deletions: 2, paths: ['src/a.ts'] }
  const part = (name: string, secondReview: SecondReview): Part => ({
    ...{ ...blankRepository, name, pullRequest: null, isGreen: false },
    work: { base: 'b'.repeat(40), head: 'c'.repeat(40), bundle: 'e'.repeat(64) },
    change: changes,
    measured: {
      gates: [],
      evidence: { commit: 'c0ffee', criteria: [], changes, demonstration: null, secondReview },
    },
  })
  const says = 'Not reviewed: Codex is not available on this runner.'
  const none: SecondReview = { result: 'not_reviewed', agent: null, model: null, says, findings: [] }
  const parts = [part('halden/api', reviewed({ ...low, file: 'a.ts' })), part('halden/web', none)]
  const { evidence } = wholeEvidence({ ...blank, parts, at: null })
  assert.deepEqual(evidence.secondReview, {
    ...{ result: 'not_reviewed', agent: null, model: null, says: `halden/web: ${says}` },
    findings: [{ ...low, file: 'halden/api:a.ts' }],
  })
})
