import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultOf, verdictOf } from './verdict.ts'

type Result = 'passed' | 'failed' | 'skipped'
const of = (criteria: Result[], gates: Result[]) => ({
  criteria: criteria.map((result, at) => ({ id: `ac-${at + 1}`, result, proof: '' })),
  gates: gates.map((result, at) => ({ name: `gate ${at}`, result, summary: '' })),
})

test('a verdict counts criteria and gates in one line', () => {
  const verdict = (...results: Parameters<typeof of>) => verdictOf(of(...results))
  assert.equal(
    verdict(['passed', 'passed'], ['passed', 'passed', 'passed', 'skipped']),
    '2 of 2 criteria, 3 gates passed, 1 skipped',
  )
  assert.equal(
    verdict(['passed', 'failed'], ['failed', 'passed']),
    '1 of 2 criteria, 1 gate failed, 1 passed',
  )
  assert.equal(verdict([], ['skipped']), 'No criteria, 1 gate skipped')
  assert.equal(verdict(['skipped'], []), '0 of 1 criterion, no gates')
})

test('one failure decides, and what was only skipped proves nothing', () => {
  assert.equal(resultOf(of(['passed'], ['passed', 'failed'])), 'failed')
  assert.equal(resultOf(of(['skipped'], ['passed'])), 'passed')
  assert.equal(resultOf(of(['skipped'], ['skipped'])), 'skipped')
})
