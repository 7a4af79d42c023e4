import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IsolationFact, isolationFacts, isolationLevelOf, lackingFor } from './isolation.ts'

const facts = Object.keys(isolationFacts) as IsolationFact[]
const holding = (...held: IsolationFact[]) =>
  Object.fromEntries(facts.map((fact) => [fact, held.includes(fact)])) as Record<IsolationFact, boolean>

test('process is a cleared environment and no process left behind; box is every fact', () => {
  assert.equal(isolationLevelOf(holding()), 'none')
  assert.equal(isolationLevelOf(holding('environmentCleared')), 'none')
  assert.equal(isolationLevelOf(holding('environmentCleared', 'descendantsReaped')), 'process')
  assert.equal(isolationLevelOf(holding(...facts)), 'box')
})

test('one fact less than all is no box, whichever it is, and it is named', () => {
  for (const missing of facts) {
    const measured = holding(...facts.filter((fact) => fact !== missing))
    assert.notEqual(isolationLevelOf(measured), 'box')
    assert.deepEqual(lackingFor('box', measured), [missing])
  }
})

test('gVisor is a box with a kernel of its own: what lacks only that has a box, and it is named', () => {
  const all = holding(...facts)
  assert.equal(isolationLevelOf({ ...all, backend: 'gvisor' }), 'gvisor')
  assert.equal(isolationLevelOf({ ...all, backend: 'bubblewrap' }), 'box')
  assert.deepEqual(lackingFor('gvisor', { ...all, backend: 'bubblewrap' }), ['separateKernel'])
  const open = holding('environmentCleared', 'descendantsReaped')
  assert.equal(
    isolationLevelOf({ ...open, backend: 'gvisor' }),
    'process',
    'by what was measured, not by its name',
  )
})
