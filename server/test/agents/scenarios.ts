import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { isolationLevelOf } from '@signalbox/contract/isolation.ts'
import type { ModelCall } from '../../../runner/test/model/model.ts'
import { question } from '../../../runner/test/scenarios.ts'
import { resolveDecision } from '../../domain/engine/answers/resolve.ts'
import { stopRun } from '../../domain/engine/lifecycle/stop.ts'
import type { Product } from './product.ts'
import { answered, billedFor, greetings, sleep, words, work } from './scripts.ts'

/** What each agent is put through, each a story of its own. The result goes into a cell of the table. */

const plenty = { runCents: 2_000, dayCents: null, monthCents: null }
/** Lasts for the plan and some steps of the work. */
const smallCents = 25

/** From Ready to merged: planned, changed in the box, verified, handed off, merged, and main looked at again. */
export async function edits(product: Product): Promise<string> {
  const since = product.model.calls.length
  const began = performance.now()
  const run = await product.begin(await product.team(plenty), words.edit)
  await product.succeeded(run)
  const seconds = (performance.now() - began) / 1000
  assert.equal(product.repository.read('main', 'greeting.txt'), greetings.edit)
  await assertProven(product, run)
  await assertBooked(product, run, since)
  return `${seconds.toFixed(0)} s`
}

/** Asks, waits for a person without holding anything, and goes on where it was. */
export async function asks(product: Product): Promise<string> {
  const since = product.model.calls.length
  const run = await product.begin(await product.team(plenty), words.question)
  const { key, kind, title } = await product.asked(run)
  assert.deepEqual([kind, title], ['clarification', question.question])
  const isTool = product.model.calls.slice(since).some(({ tools }) => tools.some(isAsk))
  await resolveDecision(product.owner, { key, optionId: 'euro' })
  await product.succeeded(run)
  assert.equal(product.repository.read('main', 'greeting.txt'), greetings.question)
  await assertProven(product, run)
  await assertBooked(product, run, since)
  const later = product.model.calls
    .slice(since)
    // Without tools it is a title or a summary, in passing.
    .filter(({ prompts, tools }) => tools.length > 0 && prompts.some((text) => text.includes(answered)))
  assert.ok(later.length > 0, 'nobody passed the answer on')
  assert.ok(later.every(remembers), 'it went on in another session')
  return isTool ? 'tool' : 'file'
}

const isAsk = (tool: string) => tool.endsWith('request_human_input') || tool === 'tool_search'

/** Whether the prompt that it was first given to do the work is still there. */
const remembers = ({ prompts }: ModelCall) =>
  prompts.some((text) => text.includes(work) && !text.includes(answered))

/** Is stopped where the next call could cost more than is left, and a person is asked. */
export async function overspends(product: Product): Promise<string> {
  const since = product.model.calls.length
  const team = await product.team({ ...plenty, runCents: smallCents })
  const run = await product.begin(team, words.budget)
  const { kind } = await product.asked(run)
  assert.equal(kind, 'budget_stop')
  const calls = product.model.calls.slice(since)
  assert.ok(
    calls.some(({ prompts }) => prompts.some((text) => text.includes(work))),
    'it was stopped before it worked',
  )
  const { used, count } = countedBy(calls)
  assert.ok(billedFor(used) <= smallCents / 100, `the model billed ${billedFor(used)} USD`)
  await assertBooked(product, run, since)
  return `${count} calls, ${billedFor(used).toFixed(2)} of ${(smallCents / 100).toFixed(2)} USD`
}

/** Is stopped by a person while a command of its shell sleeps. */
export async function isStopped(product: Product): Promise<string> {
  const since = product.model.calls.length
  const run = await product.begin(await product.team(plenty), words.cancel)
  await product.until('its shell sleeps', async () => {
    const { status, attemptList } = await product.read(run)
    assert.ok(['queued', 'running'].includes(status), `It is ${status}: ${attemptList.at(-1)?.error}`)
    return sleeping().length > 0
  })
  const began = performance.now()
  await stopRun(product.owner, run, { confirmed: true, reason: 'Enough.' })
  assert.equal((await product.read(run)).status, 'stopped')
  await product.until('nothing of the run is left', () => processesOf(run).length === 0)
  const seconds = (performance.now() - began) / 1000
  assert.deepEqual(sleeping(), [])
  await assertBooked(product, run, since)
  return `${seconds.toFixed(1)} s`
}

const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name))

const partsOf = (pid: string, file: 'cmdline' | 'environ'): string[] => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1').split('\0')
  } catch {
    return []
  }
}

const sleeping = () =>
  processes().filter((pid) => partsOf(pid, 'cmdline').filter(Boolean).join(' ') === sleep)

/** What the runner has marked as started for it, and the command itself, which may have dropped the mark. */
const processesOf = (run: string) => [
  ...processes().filter((pid) =>
    partsOf(pid, 'environ').some(
      (entry) => entry.startsWith('SIGNALBOX_ORDER=') && entry.includes(`/${run}/`),
    ),
  ),
  ...sleeping(),
]

/** What a run that was merged has to show. */
async function assertProven(product: Product, run: string): Promise<void> {
  const { evidence } = await product.read(run)
  assert.deepEqual(
    evidence!.gates.map(({ name, result }) => `${name}: ${result}`),
    ['Acceptance spec: passed', 'greeting: passed'],
  )
  assert.deepEqual(
    evidence!.criteria.map(({ id, result }) => `${id}: ${result}`),
    ['ac-1: passed', 'ac-2: passed'],
  )
  assert.deepEqual(evidence!.changes.paths, ['greeting.txt'])
  const { statement } = await product.evidence(run)
  const { head, isolation } = statement.predicate
  assert.equal(isolationLevelOf(isolation), 'box')
  assert.ok(product.repository.git('rev-list', 'main').includes(head), 'main holds another commit')
  const entries = await product.audit(run)
  assert.ok(
    entries.some(({ details }) => details.mainCheckedBy === 'maker'),
    'nobody looked at main',
  )
}

/** The ledger and the model agree to the token. */
async function assertBooked(product: Product, run: string, since: number): Promise<void> {
  const same = async () => {
    const { used, count } = countedBy(product.model.calls.slice(since))
    const { usd: _, ...booked } = await product.booked(run)
    return {
      booked,
      counted: { calls: count, input: used.input, cached: used.cacheRead, output: used.output },
    }
  }
  await product.until('everything is booked', async () => {
    const { booked, counted } = await same()
    assert.ok(booked.calls <= counted.calls, 'more was booked than the model has answered')
    return booked.calls === counted.calls
  })
  const { booked, counted } = await same()
  assert.deepEqual(booked, counted)
}

/** What the model has counted itself. */
function countedBy(calls: ModelCall[]) {
  const billed = calls.flatMap(({ used }) => used ?? [])
  const sum = (of: (used: (typeof billed)[number]) => number) =>
    billed.reduce((total, used) => total + of(used), 0)
  return {
    count: billed.length,
    used: {
      input: sum(({ input }) => input),
      cacheRead: sum(({ cacheRead }) => cacheRead),
      output: sum(({ output }) => output),
    },
  }
}
