import { randomUUID } from 'node:crypto'
import type { Acquired, Order } from '@signalbox/contract/runner/messages.ts'
import { hashOf, ScriptedRunner, type Told } from './scripted-runner.ts'

/** A lie, and what a server made of it. */
export interface Lie {
  name: string
  /** Of which it needs one for itself: what is believed would end it. */
  orders: 0 | 1 | 2
  tell(liar: ScriptedRunner, orders: Order[]): Promise<string[]>
}

const commit = '1'.repeat(40)
const otherCommit = '2'.repeat(40)
const none = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const change = { files: 1, additions: 1, deletions: 0, paths: ['README.md'] }
const evidence = { commit, criteria: [], changes: change, demonstration: null }

const isRefused = ({ status }: Told) => status >= 400 && status < 500

/** Neither taken for what it says, nor anything that leads on: refused, or the run stops there. */
async function disbelieved(liar: ScriptedRunner, order: Order, told: Told): Promise<string[]> {
  if (isRefused(told)) return []
  const run = await liar.look(`/v1/runs/${order.run}`)
  const { status, stage } = run.body as { status?: string; stage?: string }
  if (run.status !== 200)
    return [`it was answered ${told.status}, and the run cannot be looked at (${run.status})`]
  const hasEnded = ['failed', 'timed_out', 'stopped', 'waiting', 'queued'].includes(status ?? '')
  const wentOn = status === 'succeeded' || (status === 'running' && stage !== order.stage)
  return hasEnded && !wentOn
    ? []
    : [`it was believed: answered ${told.status}, and the run is ${status} in ${stage}`]
}

/** Reports that are made up, each by an order of its own. */
const reporting = (name: string, event: (order: Order) => Record<string, unknown>): Lie => ({
  ...{ name, orders: 1 },
  async tell(liar, [order]) {
    return disbelieved(liar, order!, await liar.report(order!, [1, event(order!)]))
  },
})

/**
 * A runner that lies in every field. What a server can find out it does not take a runner's word for: each of these is
 * refused, or ends the order as a breach of its policy.
 */
export const lies: Lie[] = [
  {
    name: 'A runner that registers as another one, with a key of its own, is refused',
    orders: 0,
    async tell(liar) {
      const other = new ScriptedRunner(liar.url, liar.token)
      await other.register()
      await other.call('leave', {})
      other.key = liar.key
      other.boot = randomUUID()
      const told = await other.register()
      return isRefused(told) ? [] : [`it was let in as the other one (${told.status})`]
    },
  },
  {
    name: 'A file that another run has kept is not given out, even by its hash',
    orders: 2,
    async tell(liar, [one, other]) {
      const bytes = Buffer.from(`a secret ${randomUUID()}`)
      await liar.keep(one!, bytes)
      const told = await liar.fetchFile(other!, hashOf(bytes))
      return isRefused(told) ? [] : [`it was given out (${told.status})`]
    },
  },
  {
    name: 'A report under a fence that is outdated is refused',
    orders: 1,
    async tell(liar, [order]) {
      const told = await liar.report({ run: order!.run, fence: Math.max(0, order!.fence - 1) }, [
        1,
        { type: 'finished' },
      ])
      return isRefused(told) ? [] : [`it was taken (${told.status})`]
    },
  },
  reporting('A run that is said to be finished before it was verified is not', () => ({ type: 'finished' })),
  reporting('A branch that the run was not given is not merged', () => ({
    type: 'finished',
    branch: { name: 'main', head: commit },
  })),
  reporting('A head that was never handed in is not merged', ({ run, attempt }) => ({
    type: 'finished',
    branch: { name: `signalbox/${run}/${attempt}`, head: otherCommit },
  })),
  reporting('A change without its work is no change', () => ({ type: 'change_ready', change })),
  reporting('A change whose bundle was never uploaded is no change', ({ base }) => ({
    type: 'change_ready',
    change,
    work: { base: base ?? commit, head: otherCommit, bundle: none },
  })),
  {
    name: 'A change whose bundle is no bundle is no change',
    orders: 1,
    async tell(liar, [order]) {
      const bytes = Buffer.from('# v2 git bundle\nnothing of the kind\n')
      await liar.keep(order!, bytes)
      const work = { base: order!.base ?? commit, head: otherCommit, bundle: hashOf(bytes) }
      return disbelieved(liar, order!, await liar.report(order!, [1, { type: 'change_ready', change, work }]))
    },
  },
  reporting('Gates that nobody ran are not passed', () => ({ type: 'gates_ran', gates: [], evidence })),
  reporting('Evidence of another commit is none', () => ({
    type: 'gates_ran',
    gates: [{ name: 'test', result: 'passed', summary: 'All passed' }],
    evidence: { ...evidence, commit: otherCommit },
  })),
  reporting('Evidence that was never uploaded is none', () => ({
    type: 'gates_ran',
    gates: [{ name: 'test', result: 'passed', summary: 'All passed' }],
    ...{ evidence, envelope: none },
  })),
  reporting('A cost below nothing is refused', () => ({ type: 'usage', amount: -5, currency: 'USD' })),
]

/** The next order that a liar is given; null: there is none. */
export async function nextOrder(liar: ScriptedRunner): Promise<Order | null> {
  const { status, body } = await liar.call('acquire', { ask: randomUUID(), free: 2 }, { prefer: 'wait=3' })
  return status === 200 ? ((body as Partial<Acquired>).order as Order) : null
}
