import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rehearsal, RehearsedRun } from '@signalbox/contract/app/policies.ts'
import { limitsOf, outcomeOf, summaryOf } from './rehearsed.ts'

type Difference = RehearsedRun['differences'][number]

const run = (...differences: Difference[]): RehearsedRun => ({
  run: 'run-7k2q',
  title: 'Show the delivery window',
  at: '2026-01-01T00:00:00.000Z',
  costCents: 920,
  lines: 412,
  differences,
})
const one = (effect: Difference['effect'], more = true, paths: string[] = []) => ({ effect, more, paths })
const of = (runs: number, ...changed: RehearsedRun[]): Rehearsal => ({
  days: 30,
  baseline: 4,
  runs,
  more: false,
  changed,
  unknown: [],
})

test('one sentence says what would have gone differently, and for how many runs', () => {
  const merges = Array.from({ length: 7 }, () => run(one('merge_approval')))
  const stops = [run(one('run_budget')), run(one('run_budget'))]
  assert.equal(
    summaryOf(of(42, ...merges, ...stops)),
    'Of 42 runs in the last 30 days, 7 more would have asked before merging and 2 would have stopped at their run budget.',
  )
  assert.equal(
    summaryOf(of(3, run(one('plan_approval', false), one('run_budget')))),
    'Of 3 runs in the last 30 days, 1 fewer would have asked for plan approval and 1 would have stopped at its run budget.',
  )
  assert.equal(summaryOf(of(0)), 'No runs in the last 30 days.')
  assert.equal(summaryOf(of(1)), 'The only run in the last 30 days would have had the same outcome.')
  assert.equal(summaryOf(of(42)), 'All 42 runs in the last 30 days would have had the same outcome.')
})

test('what can’t be known is said, with the reason', () => {
  const unknown = [
    { effect: 'merge_approval' as const, runs: 2 },
    { effect: 'run_budget' as const, runs: 1 },
  ]
  assert.deepEqual(limitsOf({ ...of(500), more: true, unknown }), [
    'For 2 runs, we can’t know whether they would have asked before merging: no change is recorded.',
    'For 1 run, we can’t know whether it would have stopped at its run budget: it ended at the budget it had.',
    'Only the newest 500 runs are compared.',
  ])
})

test('each run says what either policy does with it, and why', () => {
  const said = (difference: Difference) =>
    (['current', 'proposed'] as const).map((policy) => outcomeOf(difference, policy, run()))
  assert.deepEqual(said(one('merge_approval')), [
    'Doesn’t ask before merging',
    'Asks before merging (412 lines)',
  ])
  assert.deepEqual(said(one('merge_approval', false)), [
    'Asks before merging (412 lines)',
    'Doesn’t ask before merging',
  ])
  assert.deepEqual(said(one('run_budget')), ['Within the run budget', 'Stops at the run budget (cost €9.20)'])
  assert.deepEqual(said(one('policy_exception', true, ['a', 'b', 'c', 'd', 'e'])), [
    'Touches no denied paths',
    'Asks about denied paths: a, b, c and 2 more',
  ])
})
