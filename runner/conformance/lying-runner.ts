import { randomUUID } from 'node:crypto'
import type { Run } from '@signalbox/contract/run.ts'
import type { Acquired, Order } from '@signalbox/contract/runner/messages.ts'
import { agent, HonestWork, type Made, NotReached, passed } from './honest-work.ts'
import { hashOf, isolationOf, type Reply, ScriptedRunner } from './scripted-runner.ts'

/** A lie, and what a server made of it. */
export interface Lie {
  name: string
  /** Of which it needs one for itself: what is believed would end it. */
  orders: 0 | 1 | 2
  tell(liar: Liar, orders: Order[]): Promise<string[]>
}

/** As many as a runner may have: orders of other runs are kept for the next lie. */
export const slots = 64

/** A runner that is given orders like any other one. */
export class Liar extends ScriptedRunner {
  readonly #held: Order[] = []
  /** Where the main branch of a repository stood before the first lie. */
  readonly tips = new Map<string, string>()

  /** The next order; null: there is none. With a run, of that one; what else comes before it is kept. */
  async next(run?: string): Promise<Order | null> {
    // Of a run that others have begun nothing true can be said.
    const isFresh = ({ stage }: Order) => stage === 'planning' || stage === 'implementing'
    const isWanted = (order: Order) => (run ? order.run === run : isFresh(order))
    for (let tries = 0; tries < slots; tries += 1) {
      const at = this.#held.findIndex(isWanted)
      if (at >= 0) return this.#held.splice(at, 1)[0]!
      const { status, body } = await this.call(
        'acquire',
        { ask: randomUUID(), free: slots },
        { prefer: 'wait=3' },
      )
      if (status !== 200) return null
      this.#held.push((body as Partial<Acquired>).order as Order)
      await this.beatAll()
    }
    return null
  }

  /** Nothing that it has lapses while it tells another lie. */
  async beatAll(...orders: Order[]): Promise<void> {
    await this.beat(...this.#held, ...orders)
  }

  /** A refused runner still holds the order, and is done with it. */
  async giveUp(order: Order): Promise<void> {
    const failed = { type: 'failed', failureClass: 'persistent', error: 'The lie was told.' }
    // A number that is far ahead is answered with the one that is wanted.
    const { body } = await this.report(order, [1_000_000, failed])
    if (typeof body.next === 'number') await this.report(order, [body.next, failed])
  }
}

const commit = '1'.repeat(40)
const otherCommit = '2'.repeat(40)
const none = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const change = { files: 1, additions: 1, deletions: 0, paths: ['README.md'] }
const evidence = { commit, criteria: [], changes: change, demonstration: null }
const isRefused = ({ status }: Reply) => status >= 400 && status < 500
const refused = (told: Reply, otherwise: string) =>
  isRefused(told) ? [] : [`${otherwise} (answered ${told.status})`]

async function runOf(liar: Liar, { run }: Order): Promise<Run> {
  const { status, body } = await liar.look(`/v1/runs/${run}`)
  if (status !== 200) throw new Error(`The run cannot be looked at (answered ${status}).`)
  return body as unknown as Run
}

const settledSeconds = 15

/** How long a server may take to merge what is true. */
const believedSeconds = 180

/** The run, once nothing happens to it any more without a person or a runner. */
async function settled(liar: Liar, order: Order): Promise<Run> {
  const late = performance.now() + settledSeconds * 1_000
  for (;;) {
    const run = await runOf(liar, order)
    if (run.status !== 'running' || run.stage !== order.stage || performance.now() > late) return run
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/**
 * Neither taken for what it says, nor anything that leads on: it is refused, or the run stops there or asks a person.
 */
async function disbelieved(liar: Liar, order: Order, told: Reply): Promise<string[]> {
  if (isRefused(told)) return []
  const { status, stage } = await settled(liar, order)
  return ['failed', 'timed_out', 'stopped', 'waiting', 'queued'].includes(status)
    ? []
    : [`it was believed: answered ${told.status}, and the run is ${status} in ${stage}`]
}

/** Made up from nothing, as the first thing that is said of an order. */
const outright = (name: string, event: (order: Order) => Record<string, unknown>): Lie => ({
  ...{ name, orders: 1 },
  async tell(liar, [order]) {
    return disbelieved(liar, order!, await liar.report(order!, [1, event(order!)]))
  },
})

/** Reply where it counts: everything before it is true, and done with real git. */
const inStage = (
  stage: Order['stage'],
  name: string,
  lie: (work: HonestWork, liar: Liar) => Promise<Reply | string[]>,
): Lie => ({
  ...{ name, orders: 1 },
  async tell(liar, [order]) {
    const work = new HonestWork(liar, order!, (run) => liar.next(run))
    try {
      await work.to(stage)
      const { name: repository } = work.order.repository
      liar.tips.set(repository, liar.tips.get(repository) ?? (await work.tip()))
      const told = await lie(work, liar)
      const breaches = Array.isArray(told) ? told : await disbelieved(liar, work.order, told)
      await liar.giveUp(work.order)
      return breaches
    } finally {
      work.end()
    }
  },
})

/** The same, of the change that the run has made. */
const ofChange = (
  stage: Order['stage'],
  name: string,
  lie: (work: HonestWork, made: Made, liar: Liar) => Promise<Reply | string[]>,
): Lie => inStage(stage, name, async (work, liar) => lie(work, await work.done(), liar))

/** The rest is true: in the end the run asks a person, and tells them what is so. */
async function toldOtherwise(
  { work, liar }: { work: HonestWork; liar: Liar },
  made: Made,
  said: Made['change'],
): Promise<string[]> {
  const told = await work.tell({ ...work.ready(made), change: said })
  if (isRefused(told)) return []
  work.made = { ...made, change: said }
  try {
    await work.follow()
    await work.to('handing_off')
  } catch (error) {
    // Someone is asked before anything else is done, or it has ended.
    if (!(error instanceof NotReached)) throw error
    return disbelieved(liar, work.order, told)
  }
  const breaches = await disbelieved(liar, work.order, await work.tell(await work.push(made.work.head)))
  const { evidence: shown } = await runOf(liar, work.order)
  const hidden = made.change.paths.filter((name) => !shown?.changes.paths.includes(name))
  return hidden.length > 0 ? [...breaches, `nobody is told of ${hidden.join(', ')}`] : breaches
}

const green = { type: 'main_checked', state: 'green', findings: '', gates: passed }
const backdoor = { 'backdoor.sh': 'echo open\n' }

/**
 * A runner that lies in every field. What a server can find out it does not take a runner's word for: each of these is
 * refused, ends the run, or is asked of a person.
 */
export const lies: Lie[] = [
  {
    // Or else whatever is refused below would be refused for another reason.
    name: 'The truth is believed, up to the merge',
    orders: 1,
    async tell(liar, [order]) {
      const work = new HonestWork(liar, order!, (run) => liar.next(run))
      try {
        await work.to('handing_off')
        const { status } = await work.tell(await work.push(work.made!.work.head))
        // Merged, the main branch is looked at; where a person is to merge, no one comes for more.
        const late = performance.now() + believedSeconds * 1_000
        let run = await runOf(liar, work.order)
        while (['running', 'queued'].includes(run.status) && performance.now() < late) {
          const check = await liar.next(order!.run)
          if (check) await liar.report(check, [1, green])
          run = await runOf(liar, work.order)
        }
        const isBelieved = status === 200 && ['succeeded', 'waiting'].includes(run.status)
        return isBelieved ? [] : [`it was answered ${status}, and the run is ${run.status} in ${run.stage}`]
      } finally {
        work.end()
      }
    },
  },
  {
    name: 'A runner that registers as another one, with a key of its own, is refused',
    orders: 0,
    async tell(liar) {
      const other = new ScriptedRunner(liar.url, liar.token)
      await other.register()
      await other.call('leave', {})
      other.key = liar.key
      other.boot = randomUUID()
      return refused(await other.register(), 'it was let in as the other one')
    },
  },
  {
    name: 'An order of another runner takes no report and no file, and gives out none and no credential',
    orders: 1,
    async tell(liar, [order]) {
      const bytes = Buffer.from(`a file ${randomUUID()}`)
      await liar.keep(order!, bytes)
      const other = new ScriptedRunner(liar.url, liar.token)
      await other.register()
      const answers = {
        'its report was taken': await other.report(order!, [1, { type: 'progress', message: 'Mine.' }]),
        'its log was taken': await other.log(order!, 1, 'Mine.'),
        'its file was kept': await other.keep(order!, Buffer.from(`another ${randomUUID()}`)),
        'it was given the file': await other.fetchFile(order!, hashOf(bytes)),
        'it was given the credential': await other.call(`orders/${order!.run}/${order!.fence}/credential`, {
          ...{ for: 'git', access: 'read' },
        }),
      }
      await other.call('leave', {})
      return Object.entries(answers).flatMap(([otherwise, told]) => refused(told, otherwise))
    },
  },
  {
    name: 'A file that another run has kept is not given out, even by its hash',
    orders: 2,
    async tell(liar, [one, other]) {
      const bytes = Buffer.from(`a secret ${randomUUID()}`)
      await liar.keep(one!, bytes)
      return refused(await liar.fetchFile(other!, hashOf(bytes)), 'it was given out')
    },
  },
  {
    name: 'A report under a fence that is outdated is refused',
    orders: 1,
    async tell(liar, [order]) {
      const fence = Math.max(0, order!.fence - 1)
      return refused(await liar.report({ run: order!.run, fence }, [1, { type: 'finished' }]), 'it was taken')
    },
  },
  outright('A cost below nothing is refused', () => ({ type: 'usage', amount: -5, currency: 'USD' })),
  outright('A cost in a currency that there is not is refused', () => ({
    ...{ type: 'usage', amount: 5, currency: 'XXQ' },
  })),
  outright('A run that is said to be finished before it was verified is not', () => ({ type: 'finished' })),
  outright('A change without its work is no change', () => ({ type: 'change_ready', change })),
  outright('Gates that ran before there was a change are not taken', () => ({
    ...{ type: 'gates_ran', gates: passed, evidence },
  })),
  inStage('implementing', 'A box that is weaker than the policy wants does not begin', async (work) => {
    const begun = { type: 'begun', base: work.base, isolation: isolationOf.none, agent }
    return work.order.policy.isolation === 'none' ? [] : work.tell(begun)
  }),
  inStage('implementing', 'A run that says it began elsewhere does not go on', async (work) => {
    const own = await work.commit(backdoor)
    return work.tell({ type: 'begun', base: own, isolation: isolationOf.box, agent })
  }),
  inStage('implementing', 'A change on a commit that is not the base is no change', async (work) => {
    const own = await work.commit(backdoor)
    const head = await work.commit(work.greeting, own)
    return work.tell(work.ready(await work.handIn(head, own)))
  }),
  inStage('implementing', 'A spec in a folder that is not the story’s is not pinned', async (work) =>
    work.tell({ type: 'spec_pinned', spec: await work.pinned('src'), summary: '' }),
  ),
  inStage('implementing', 'A spec that was never uploaded is not pinned', async (work) => {
    const pinned = { ...(await work.pinned()), files: none }
    return work.tell({ type: 'spec_pinned', spec: pinned, summary: '' })
  }),
  ofChange('implementing', 'A change whose bundle was never uploaded is no change', (work, made) =>
    work.tell({ ...work.ready(made), work: { ...made.work, bundle: none } }),
  ),
  ofChange('implementing', 'A change whose bundle is no bundle is no change', async (work, made) => {
    const bundle = await work.keep('# v2 git bundle\nnothing of the kind\n')
    return work.tell({ ...work.ready(made), work: { ...made.work, bundle } })
  }),
  ofChange('implementing', 'A change whose bundle is of another commit is no change', async (work, made) => {
    const other = await work.make(backdoor)
    return work.tell({ ...work.ready(made), work: { ...made.work, bundle: other.work.bundle } })
  }),
  ofChange('implementing', 'A head that is not in the bundle is no change', (work, made) =>
    work.tell({ ...work.ready(made), work: { ...made.work, head: otherCommit } }),
  ),
  inStage(
    'implementing',
    'A path that is left out of the list is shown, and asked about',
    async (work, liar) => {
      const made = await work.make({ ...work.greeting, ...backdoor })
      return toldOtherwise({ work, liar }, made, { ...made.change, files: 1, paths: ['kit.txt'] })
    },
  ),
  ofChange('implementing', 'Lines that are not counted are asked about', (work, made, liar) =>
    toldOtherwise({ work, liar }, made, { ...made.change, additions: 0 }),
  ),
  inStage('implementing', 'A denied path that is not listed is asked about', async (work, liar) => {
    const made = await work.make({ '.kanman/acceptance/KIT-0/kit.sh': 'true\n' })
    return toldOtherwise({ work, liar }, made, { ...made.change, paths: ['kit.txt'] })
  }),
  inStage(
    'implementing',
    'What runs by itself is found, whatever the runner says of it',
    async (work, liar) => {
      const made = await work.make({ '.github/workflows/kit.yml': 'on: push\n' })
      return toldOtherwise({ work, liar }, made, made.change)
    },
  ),
  ofChange('verifying', 'Without a gate nothing is merged without a person', async (work, made) =>
    handedOff(work, made, await work.measured(made, { gates: [] })),
  ),
  ofChange('verifying', 'Gates that were all skipped prove nothing', async (work, made) => {
    const gates = passed.map((gate) => ({ ...gate, result: 'skipped' as const }))
    return handedOff(work, made, await work.measured(made, { gates }))
  }),
  ofChange('verifying', 'Evidence that no one has signed does not merge by itself', async (work, made) => {
    const { envelope: _, ...unsigned } = await work.measured(made)
    return handedOff(work, made, unsigned)
  }),
  ofChange('verifying', 'Evidence that was never uploaded is none', async (work, made) =>
    work.tell({ ...(await work.measured(made)), envelope: none }),
  ),
  ofChange('verifying', 'Evidence that another key has signed is none', async (work, made) => {
    const { key } = new ScriptedRunner(work.runner.url, work.runner.token)
    return work.tell(await work.measured(made, { key }))
  }),
  ofChange('verifying', 'Evidence of another commit is none', async (work, made) => {
    const ran = await work.measured(made)
    return work.tell({ ...ran, evidence: { ...ran.evidence, commit: made.work.base } })
  }),
  ofChange('verifying', 'A signed pack about another commit is none', async (work, made) =>
    work.tell(await work.measured(made, { says: { head: made.work.base } })),
  ),
  ofChange('verifying', 'A signed pack about another run is none', async (work, made) =>
    work.tell(await work.measured(made, { says: { run: 'run-0000' } })),
  ),
  ofChange('verifying', 'A gate that failed in the signed pack has not passed', async (work, made) => {
    const failed = passed.map((gate) => ({ ...gate, result: 'failed' as const, onBase: null, log: null }))
    return work.tell(await work.measured(made, { says: { gates: failed } }))
  }),
  ofChange('handing_off', 'A branch that the run was not given is not merged', async (work, made) =>
    work.tell({ type: 'finished', branch: { name: 'kit-colleague', head: made.work.head } }),
  ),
  ofChange('handing_off', 'The main branch is no branch of a run', async (work, made) =>
    work.tell({ type: 'finished', branch: { name: work.order.repository.branch, head: made.work.head } }),
  ),
  ofChange('handing_off', 'The branch of an attempt to come is not merged', async (work, made) =>
    work.tell(await work.push(made.work.head, `signalbox/${work.order.run}/7`)),
  ),
  inStage('handing_off', 'A commit that was pushed and never verified is not merged', async (work) =>
    work.tell(await work.push(await work.commit(backdoor))),
  ),
  ofChange(
    'handing_off',
    'A commit that was pushed in place of the verified one is not',
    async (work, made) => {
      const { branch } = await work.push(await work.commit(backdoor, made.work.head))
      return work.tell({ type: 'finished', branch: { name: branch!.name, head: made.work.head } })
    },
  ),
  ofChange('handing_off', 'A branch that was never pushed is not merged', (work, made) =>
    work.tell({ type: 'finished', branch: { name: work.branch, head: made.work.head } }),
  ),
  inStage('handing_off', 'A run that names no branch merges nothing', (work) =>
    work.tell({ type: 'finished' }),
  ),
  inStage('implementing', 'After all of it, the main branch stands where it stood', async (work, liar) =>
    (await work.tip()) === liar.tips.get(work.order.repository.name) ? [] : ['the main branch was changed'],
  ),
]

/** Says what the gates came to, and does the rest truthfully. */
async function handedOff(
  work: HonestWork,
  made: Made,
  ran: Record<string, unknown>,
): Promise<Reply | string[]> {
  const told = await work.tell(ran)
  if (isRefused(told)) return []
  try {
    await work.follow()
  } catch (error) {
    if (!(error instanceof NotReached)) throw error
    return told
  }
  return work.order.stage === 'handing_off' ? work.tell(await work.push(made.work.head)) : told
}
