import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import { acceptanceSpec } from '@signalbox/contract/denied-paths.ts'
import { isolationLevels } from '@signalbox/contract/isolation.ts'
import fc from 'fast-check'
import { goesWell } from '../../../test/engine/engine.ts'
import { presets } from '../../work/policies/presets.ts'
import { comparePolicies, type RunFacts } from './compare-policies.ts'

const { isolation: boxed } = goesWell.begun
const bare = { ...boxed, networkOnlyToGateway: false }

/** A run that went well, unasked, for €4. */
const plain: RunFacts = {
  story: { size: 's', complexity: 'low' },
  begun: true,
  planned: true,
  implementing: true,
  implemented: true,
  handedOff: true,
  plan: { risk: 'low', paths: ['src/a.ts'] },
  change: { files: 1, additions: 80, deletions: 20, paths: ['src/a.ts'] },
  gatesPassed: 4,
  kinds: [],
  isUnsigned: false,
  secondReview: null,
  hasSpec: true,
  isolations: [boxed],
  runnerLabels: [['eu', 'gpu']],
  costMicros: 4_000_000,
  endedAtBudget: false,
  dayMicros: 9_000_000,
  monthMicros: 50_000_000,
  asked: [],
}

const open: PolicySettings = {
  executor: 'claude_code',
  ...presets.autonomous,
  budgets: { runCents: 2_000, dayCents: null, monthCents: null },
  acceptanceRequired: false,
  reworkOnReview: false,
  isolation: 'none',
  whenIssueLeaves: 'stop',
}

const told = (facts: Partial<RunFacts>, current: PolicySettings | null, proposed: Partial<PolicySettings>) =>
  comparePolicies({ ...plain, ...facts }, current, { ...open, ...proposed }).map(
    ({ effect, more }) => `${more === null ? 'unknown' : more ? 'more' : 'fewer'} ${effect}`,
  )

describe('what another policy would have made of a run', () => {
  test('it asks about plans, merges and denied paths that the current one does not ask about', () => {
    assert.deepEqual(told({}, open, { planApproval: 'always' }), ['more plan_approval'])
    assert.deepEqual(told({}, open, { planApproval: 'by_risk' }), [])
    assert.deepEqual(told({ story: { size: 'xl', complexity: null } }, open, { planApproval: 'by_risk' }), [
      'more plan_approval',
    ])
    assert.deepEqual(told({}, open, { mergePolicy: 'ask' }), ['more merge_approval'])
    assert.deepEqual(told({}, open, { mergePolicy: 'auto_within_limits', autoMergeMaxLines: 99 }), [
      'more merge_approval',
    ])
    assert.deepEqual(told({}, open, { mergePolicy: 'auto_within_limits', autoMergeMaxLines: 100 }), [])
    assert.deepEqual(told({}, open, { mergePolicy: 'manual' }), ['more merge_by_people'])
    assert.deepEqual(told({}, open, { deniedPaths: ['src/**'] }), ['more policy_exception'])
  })

  test('it no longer asks what the current one asks, whatever people were asked under the policy of the time', () => {
    const strict: PolicySettings = {
      ...open,
      planApproval: 'always',
      mergePolicy: 'ask',
      deniedPaths: ['src/**'],
    }
    const asked = ['plan_approval', 'merge_approval', 'policy_exception'] as const
    const fewer = ['fewer plan_approval', 'fewer policy_exception', 'fewer merge_approval']
    assert.deepEqual(told({ asked }, strict, {}), fewer)
    assert.deepEqual(told({}, strict, {}), fewer)
    assert.deepEqual(told({ asked }, open, { planApproval: 'always' }), ['more plan_approval'])
    assert.deepEqual(told({ asked }, open, { maxConcurrency: 9 }), [], 'they do not differ in it')
  })

  test('it asks about merges of what a second review found, and does not guess where there was none', () => {
    const proposed = { secondReview: { by: 'codex', model: null, holdsMerge: true } } as const
    const finding = { file: null, line: null, says: 'Wrong.' }
    const review = (severity: 'high' | 'low') =>
      ({
        ...{ result: 'reviewed', agent: 'codex', model: null, says: null },
        findings: [{ ...finding, severity }],
      }) as const satisfies RunFacts['secondReview']
    assert.deepEqual(told({ secondReview: review('high') }, open, proposed), ['more merge_approval'])
    assert.deepEqual(told({ secondReview: review('low') }, open, proposed), [])
    assert.deepEqual(told({}, open, proposed), ['unknown merge_approval'])
  })

  test('it holds what was not kept in well enough, and what had no acceptance spec', () => {
    assert.deepEqual(told({ isolations: [boxed, bare] }, open, { isolation: 'box' }), ['more isolation'])
    assert.deepEqual(told({ isolations: [bare] }, open, { isolation: 'process' }), [])
    assert.deepEqual(told({ hasSpec: false }, open, { acceptanceRequired: true }), ['more acceptance_spec'])
  })

  test('it holds what was done by a runner without the labels that it asks for', () => {
    assert.deepEqual(told({}, open, { runnerLabels: ['gpu'] }), [])
    assert.deepEqual(told({}, open, { runnerLabels: ['gpu', 'arm'] }), ['more runner_labels'])
    assert.deepEqual(told({ runnerLabels: [['gpu'], ['eu']] }, open, { runnerLabels: ['gpu'] }), [
      'more runner_labels',
    ])
    const labelled = { ...open, runnerLabels: ['gpu', 'eu'] }
    assert.deepEqual(told({}, labelled, { runnerLabels: ['eu', 'gpu'] }), [], 'in whatever order')
    assert.deepEqual(told({}, labelled, {}), [], 'its runner has both')
  })

  test('it stops at a budget that the run, its day or its month went over', () => {
    const budgets = (runCents: number | null, dayCents: number | null, monthCents: number | null) => ({
      budgets: { runCents, dayCents, monthCents },
    })
    assert.deepEqual(told({}, open, budgets(400, null, null)), ['more run_budget'])
    assert.deepEqual(told({}, open, budgets(401, 900, 5_000)), [])
    assert.deepEqual(told({}, open, budgets(500, 899, 4_999)), ['more day_budget', 'more month_budget'])
    const short = { ...open, ...budgets(300, null, null) }
    assert.deepEqual(told({ asked: ['budget_stop'] }, short, {}), ['fewer run_budget'])
  })

  test('what is not recorded is not known', () => {
    assert.deepEqual(told({ plan: null }, open, { planApproval: 'by_risk' }), ['unknown plan_approval'])
    assert.deepEqual(told({ change: null }, open, { deniedPaths: ['infra/**'] }), [
      'unknown policy_exception',
    ])
    assert.deepEqual(told({ change: null }, open, { autoMergeMaxLines: 10 }), ['unknown merge_approval'])
    assert.deepEqual(told({ isolations: [] }, open, { isolation: 'box' }), ['unknown isolation'])
    assert.deepEqual(told({ runnerLabels: [] }, open, { runnerLabels: ['eu'] }), ['unknown runner_labels'])
    const short = { ...open, budgets: { ...open.budgets, runCents: 400 } }
    assert.deepEqual(told({ asked: ['budget_stop'], endedAtBudget: true }, short, {}), ['unknown run_budget'])
  })

  test('nothing is asked of a run that did not get there', () => {
    const early = { planned: false, implementing: false, implemented: false, handedOff: false }
    const nothing = { ...early, begun: false, plan: null, change: null, isolations: [], hasSpec: false }
    const { budgets: _, ...strict } = presets.supervised
    assert.deepEqual(told({ ...nothing, costMicros: 0 }, open, strict), [])
  })

  test('a first policy is compared with none, which asks for nothing', () => {
    assert.deepEqual(told({}, null, {}), [])
    assert.deepEqual(told({}, null, { mergePolicy: 'ask' }), ['more merge_approval'])
  })
})

const paths = fc.subarray(['src/a.ts', 'src/b.ts', 'infra/main.tf', 'package.json'])
const globs = ['src/**', 'infra/**', '*.json', '**/b.ts']
const cents = fc.integer({ min: 1, max: 2_000 })
const policy: fc.Arbitrary<PolicySettings> = fc.record({
  executor: fc.constant('claude_code' as const),
  maxConcurrency: fc.constant(1),
  budgets: fc.record({
    runCents: fc.option(cents),
    dayCents: fc.option(cents),
    monthCents: fc.option(cents),
  }),
  planApproval: fc.constantFrom('never' as const, 'by_risk' as const, 'always' as const),
  mergePolicy: fc.constantFrom(
    'manual' as const,
    'auto' as const,
    'auto_within_limits' as const,
    'ask' as const,
  ),
  deniedPaths: fc.subarray(globs).map((some) => [acceptanceSpec, ...some]),
  acceptanceRequired: fc.boolean(),
  maintenance: fc.constant(presets.trial.maintenance),
  gateFailureBudget: fc.constant(2),
  autoMergeMaxLines: fc.option(fc.integer({ min: 0, max: 300 })),
  reworkOnReview: fc.boolean(),
  isolation: fc.constantFrom(...isolationLevels),
  runnerLabels: fc.subarray(['eu', 'gpu']),
  whenIssueLeaves: fc.constant('stop' as const),
})
const micros = fc.integer({ min: 0, max: 30_000_000 })
const facts: fc.Arbitrary<RunFacts> = fc.record({
  story: fc.record({
    size: fc.constantFrom('s' as const, 'xl' as const, null),
    complexity: fc.constantFrom('low' as const, 'high' as const, null),
  }),
  begun: fc.boolean(),
  planned: fc.boolean(),
  implementing: fc.boolean(),
  implemented: fc.boolean(),
  handedOff: fc.boolean(),
  plan: fc.option(fc.record({ risk: fc.constantFrom('low' as const, 'high' as const), paths })),
  change: fc.option(
    fc.record({
      files: fc.constant(1),
      additions: fc.integer({ min: 0, max: 200 }),
      deletions: fc.integer({ min: 0, max: 200 }),
      paths,
    }),
  ),
  gatesPassed: fc.option(fc.integer({ min: 0, max: 2 })),
  kinds: fc.subarray(['measure', 'report'] as const),
  isUnsigned: fc.boolean(),
  secondReview: fc.constant(null),
  hasSpec: fc.boolean(),
  isolations: fc.subarray([boxed, bare, { ...bare, environmentCleared: false }]),
  runnerLabels: fc.subarray([['eu', 'gpu'], ['eu'], []]),
  costMicros: micros,
  endedAtBudget: fc.boolean(),
  dayMicros: micros,
  monthMicros: micros,
  asked: fc.subarray([
    'plan_approval',
    'policy_exception',
    'merge_approval',
    'budget_stop',
    'gate_failure',
  ] as const),
})

/** A step up, or none, in each setting. A team whose people merge by hand stays one. */
const stricter = (from: PolicySettings): fc.Arbitrary<PolicySettings> => {
  const up = <T>(order: readonly T[], at: T) => fc.constantFrom(...order.slice(order.indexOf(at)))
  // A budget that there was not may let a run cost more than it may without any.
  const lower = (limit: number | null) =>
    limit === null ? fc.constant(null) : fc.integer({ min: 0, max: limit })
  const merges = ['auto', 'auto_within_limits', 'ask'] as const
  const { budgets, mergePolicy, autoMergeMaxLines } = from
  return fc.record({
    ...Object.fromEntries(Object.entries(from).map(([name, value]) => [name, fc.constant(value)])),
    budgets: fc.record({
      runCents: lower(budgets.runCents),
      dayCents: lower(budgets.dayCents),
      monthCents: lower(budgets.monthCents),
    }),
    planApproval: up(['never', 'by_risk', 'always'] as const, from.planApproval),
    mergePolicy: mergePolicy === 'manual' ? fc.constant(mergePolicy) : up(merges, mergePolicy),
    autoMergeMaxLines: lower(autoMergeMaxLines),
    deniedPaths: fc.subarray(globs).map((some) => [...new Set([...from.deniedPaths, ...some])]),
    acceptanceRequired: from.acceptanceRequired ? fc.constant(true) : fc.boolean(),
    isolation: up(isolationLevels, from.isolation),
    runnerLabels: fc
      .subarray(['eu', 'gpu'])
      .map((some) => [...new Set([...(from.runnerLabels ?? []), ...some])]),
  }) as unknown as fc.Arbitrary<PolicySettings>
}

test('a policy compared with itself changes nothing', () => {
  fc.assert(
    fc.property(facts, policy, (run, same) => {
      assert.deepEqual(comparePolicies(run, same, structuredClone(same)), [])
    }),
  )
})

test('a stricter policy never asks less', () => {
  const pair = policy.chain((then) => stricter(then).map((proposed) => ({ then, proposed })))
  fc.assert(
    fc.property(facts, pair, (run, { then, proposed }) => {
      assert.deepEqual(
        comparePolicies(run, then, proposed).filter(({ more }) => more === false),
        [],
      )
    }),
    { numRuns: 500 },
  )
})
