import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mark } from '../../work/runs/page/timeline.ts'
import { spansOfEnd, spansOfStep } from './trace-step.ts'

const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true }
const run = {
  ...{ traceparent: null, key: 'run-7k2q', team: 'web', story: 'WEB-12', tracker: 'github', attempts: 1 },
  ...{ createdAt: 1_000, storyAt: 400, order: null, decisions: [{ kind: 'plan_approval', at: 3_000 }] },
  marks: [] as (Mark & { seq: number })[],
}
const mark = (seq: number, at: number, phase: Mark['phase'], stage: Mark['stage'] = 'planning') => ({
  ...{ seq, at, phase, stage, attempt: 1 },
})
const seen = (marks: typeof run.marks) =>
  spansOfStep({ ...run, marks }, trace, { runId: '', version: marks.at(-1)!.seq, endedFence: 0 }).map(
    ({ name, from, to, attributes }) => [name, from, to, attributes['signalbox.decision.kind']],
  )

test('a step ends the time that a run spent without a worker, and says what it waited for', () => {
  const marks = [mark(1, 2_000, 'working'), mark(3, 3_000, 'waiting')]
  assert.deepEqual(seen(marks.slice(0, 1)), [['queued', 1_000, 2_000, undefined]])
  assert.deepEqual(seen(marks), [], 'a worker’s time is its order’s')
  assert.deepEqual(seen([...marks, mark(5, 9_000, 'queued', 'implementing')]), [
    ['decision', 3_000, 9_000, 'plan_approval'],
  ])
  const merging = [mark(7, 10_000, 'opening'), mark(8, 11_000, 'merging'), mark(9, 12_000, 'watching')]
  assert.deepEqual(seen(merging), [], 'the merge goes on')
  assert.deepEqual(seen([...merging, mark(10, 15_000, 'succeeded')]), [['merge', 10_000, 15_000, undefined]])
})

test('the whole begins with the incident that it mends, and fails as the run does', () => {
  const incident = { key: 'inc-4c1d', openedAt: 100 }
  const spans = spansOfEnd(run, trace, mark(9, 20_000, 'failed'), incident)
  assert.deepEqual(
    spans.map(({ name, parent, from, to, failed }) => [name, parent, from, to, failed]),
    [
      ['incident', trace.spanId, 100, 400, false],
      ['issue', trace.spanId, 400, 1_000, false],
      ['run', null, 100, 20_000, true],
    ],
  )
  assert.equal(spans.at(-1)?.id, trace.spanId)
})
