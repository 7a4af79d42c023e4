import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Draft } from './differences.ts'
import { sentenceOf } from './sentences.ts'

const draft: Draft = {
  preset: 'balanced',
  executor: 'codex',
  maxConcurrency: 2,
  budgets: { runCents: null, dayCents: 4_000, monthCents: null },
  planApproval: 'always',
  mergePolicy: 'auto_within_limits',
  deniedPaths: [],
  acceptanceRequired: true,
  gateFailureBudget: 2,
  autoMergeMaxLines: null,
  reworkOnReview: false,
  isolation: 'box',
  maintenance: { schedule: 'off', surveyCents: 100, monthCents: 1_000 },
  whenIssueLeaves: 'stop',
}

test('no limit of lines says whether everything merges or nothing does', () => {
  const said = (mergePolicy: Draft['mergePolicy'], autoMergeMaxLines: number | null) =>
    sentenceOf('autoMergeMaxLines', { ...draft, mergePolicy, autoMergeMaxLines }, 1_000)
  assert.match(said('auto_within_limits', null), /asked about every change/)
  assert.match(said('auto', null), /any size merge automatically/)
  assert.match(said('auto', 400), /larger change/)
  assert.match(said('ask', 400), /Has no effect/)
})

test('a run without a budget of its own still stops somewhere, and the form says where', () => {
  const said = (budgets: Draft['budgets']) => sentenceOf('budgets.runCents', { ...draft, budgets }, 1_000)
  assert.match(said({ ...draft.budgets, runCents: 500 }), /reaches it stops/)
  assert.match(said(draft.budgets), /the daily or monthly budget/)
  assert.match(said({ runCents: null, dayCents: null, monthCents: null }), /stops at €10\.00/)
})

test('tools of the model provider say what they open', () => {
  const said = (modelTools: Draft['modelTools']) =>
    sentenceOf('modelTools', { ...draft, modelTools: modelTools! }, 1_000)
  assert.match(said([]), /^Off/)
  assert.match(said(['web_search']), /reach the network.*evidence says so/)
})
