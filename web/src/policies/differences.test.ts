import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Draft, differences, fromKept, onTop, withPreset, withValue } from './differences.ts'

const base: Draft = {
  preset: 'supervised',
  executor: 'codex',
  maxConcurrency: 2,
  budgets: { runCents: 800, dayCents: 4_000, monthCents: null },
  planApproval: 'always',
  mergePolicy: 'ask',
  deniedPaths: ['.kanman/acceptance/**', 'infra/**'],
  acceptanceRequired: true,
  gateFailureBudget: 2,
  autoMergeMaxLines: null,
  reworkOnReview: false,
  isolation: 'box',
  maintenance: { schedule: 'off', surveyCents: 100, monthCents: 1_000 },
  whenIssueLeaves: 'stop',
}

test('each setting that differs is named with before and after; the order of paths is no difference', () => {
  assert.deepEqual(differences(base, base), [])
  const next = {
    ...base,
    maxConcurrency: 3,
    budgets: { ...base.budgets, monthCents: 9_000 },
    deniedPaths: ['infra/**', '.kanman/acceptance/**'],
  }
  assert.deepEqual(differences(base, next), [
    { setting: 'maxConcurrency', before: 2, after: 3 },
    { setting: 'budgets.monthCents', before: null, after: 9_000 },
  ])
  assert.equal(differences(null, base).length, 25)
})

test('my changes go on top of what someone else saved since', () => {
  const mine = withValue(withValue(base, 'budgets.dayCents', 5_000), 'mergePolicy', 'manual')
  const theirs = withValue(withValue(base, 'budgets.runCents', 100), 'mergePolicy', 'auto')
  const merged = onTop(base, mine, theirs)
  assert.deepEqual(merged.budgets, { runCents: 100, dayCents: 5_000, monthCents: null })
  assert.equal(merged.mergePolicy, 'manual')
})

test('changes of the log tell the budgets apart', () => {
  const changes = [
    { field: 'budgets', before: { runCents: 1, dayCents: 2 }, after: { runCents: 1, dayCents: 3 } },
    { field: 'maxConcurrency', before: 1, after: 2 },
    { field: 'unknown', before: 1, after: 2 },
  ]
  assert.deepEqual(fromKept(changes), [
    { setting: 'budgets.dayCents', before: 2, after: 3 },
    { setting: 'maxConcurrency', before: 1, after: 2 },
  ])
})

test('before the first policy there was nothing, not even the lack of a limit', () => {
  const changes = [
    { field: 'preset', before: null, after: 'balanced' },
    { field: 'autoMergeMaxLines', before: null, after: 400 },
    { field: 'budgets', before: null, after: { runCents: 1 } },
  ]
  assert.deepEqual(
    fromKept(changes).map(({ before }) => before),
    [undefined, undefined, undefined],
  )
})

test('a preset leaves the agent and the denied paths as they are', () => {
  const { preset: _, executor: __, ...settings } = { ...base, deniedPaths: [], maxConcurrency: 5 }
  const next = withPreset(base, 'autonomous', settings)
  assert.deepEqual([next.preset, next.executor, next.maxConcurrency], ['autonomous', 'codex', 5])
  assert.deepEqual(next.deniedPaths, base.deniedPaths)
})
