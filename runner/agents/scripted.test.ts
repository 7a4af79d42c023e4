import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { drive, Site } from '../test/drive.ts'
import { plainBox } from '../test/plain-box.ts'
import { question } from '../test/scenarios.ts'
import type { Task } from './agent.ts'
import { scriptedAgent } from './scripted.ts'

let site: Site
beforeEach(() => {
  site = new Site()
})
afterEach(() => site[Symbol.dispose]())

const task: Task = {
  ...{ run: 'run-7k2q', attempt: 1, story: 'WEB-1', round: 0 },
  ...{ stage: 'implementing', purpose: 'implement' },
}

function play(script: object, change: Partial<Task> = {}) {
  mkdirSync(path.join(site.worktree, '.kanman'), { recursive: true })
  writeFileSync(path.join(site.worktree, '.kanman', 'scripted.json'), JSON.stringify(script))
  return drive(scriptedAgent({ file: null }), plainBox(), site, { task: { ...task, ...change } })
}

const read = (name: string) => readFileSync(path.join(site.worktree, name), 'utf8')

test('a script writes, edits, runs and leaves results, and says that it is one', async () => {
  const steps = [
    { say: 'Working on {story}.' },
    { write: 'src/greeting.txt', text: 'Hello, {story}.\n' },
    { replace: 'README.md', find: 'small', with: 'tiny' },
    { run: 'cat README.md' },
    { result: 'plan.json', json: { plan: 'Greet {story}.' } },
    { cost: { amount: 0.02, input: 1_000, output: 50 } },
  ]
  const { end, events } = await play({ stories: { '*': { implement: [steps] } } })
  assert.deepEqual(end, { ended: 'normally' })
  assert.equal(read('src/greeting.txt'), 'Hello, WEB-1.\n')
  assert.equal(read('README.md'), 'A tiny repository.\n')
  assert.equal(JSON.parse(readFileSync(path.join(site.out, 'plan.json'), 'utf8')).plan, 'Greet WEB-1.')
  assert.deepEqual(events[0], { type: 'said', text: 'Scripted: no language model is used here.' })
  assert.ok(events.some((event) => event.type === 'tool_ended' && event.output === 'A tiny repository.\n'))
  assert.ok(events.some((event) => event.type === 'usage' && event.usage.amount === 0.02))
})

test('it plays another part in each round, and asks', async () => {
  const plays = [[{ ask: question }, { write: 'never', text: '' }], [{ write: 'euro.txt', text: 'euro' }]]
  const script = { stories: { 'WEB-1': { implement: plays } } }
  const first = await play(script)
  assert.deepEqual(first.questions, [question])
  assert.throws(() => read('never'))
  const third = await play(script, { round: 2 })
  assert.deepEqual(third.questions, [])
  assert.equal(read('euro.txt'), 'euro')
})

test('a story or a purpose without a script, and a step that fails, are failures', async () => {
  const script = { stories: { 'WEB-1': { implement: [[{ fail: 'The model is away.', transient: true }]] } } }
  assert.deepEqual((await play(script)).end, {
    ended: 'failed',
    error: 'The model is away.',
    transient: true,
  })
  assert.deepEqual((await play(script, { purpose: 'plan' })).end, {
    ...{ ended: 'failed', transient: false },
    error: 'The script has nothing for WEB-1, plan.',
  })
})
