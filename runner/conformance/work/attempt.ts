import type { IsolationFact } from '@signalbox/contract/isolation.ts'
import type { Order, RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import type { RepositoryFiles } from './repository.ts'
import type { Seen } from './seen.ts'

/** What a runner may say of itself when it registers. `kernelFiltered` is left out by those that never measured it. */
export type Claim = IsolationFact | 'kernelFiltered'

/** How it is seen, from outside, whether an attempt came to anything. */
export interface Caught {
  /** Ends the sentence “It is caught when …”. */
  when: string
  holds(seen: Seen, token: string): boolean
}

/** One thing that is tried. */
export interface Attempt {
  name: string
  /** The claim that it tests, a sentence. */
  proves: string
  /** The layer that keeps it, which a runner need not have. Left out: it holds without any box. */
  claim?: Claim
  /** What it puts into the base. */
  files?: RepositoryFiles
  /** Lines of sh, played in the agent's turn; `turn.ts` says what is there for them. */
  run?: string
  /** The same, played by the gate `check`. The agent leaves them where the gate of main looks for its tests. */
  inGate?: string
  caught: Caught
}

/** One order's worth of work, and how it goes on. */
export interface RunSketch {
  /** What the base has in addition to what every scenario has. */
  files?: RepositoryFiles
  attempts?: Attempt[]
  /** Lines of sh for the agent, before and after the attempts. */
  before?: string
  after?: string
  /** For the other purposes of a turn, instead of the attempts. */
  plan?: string
  spec?: string
  /** Each gets an order when the one before came to its good end; `implementing` unless said. */
  stages?: Order['stage'][]
  order?: Partial<Pick<Order, 'exceptions' | 'guidance'>> & {
    policy?: Partial<Order['policy']>
    story?: Partial<Order['story']>
    /** In millionths of a dollar; a dollar unless said. */
    usdMicros?: number
  }
  /** Files of an acceptance spec that was pinned before. */
  pinned?: Record<string, string>
  /** What happens to the runner: killed when the log says this, and started again. */
  killedWhen?: string
  /** Before this run, the runner is started again. */
  startsAnew?: true
  /** What the run has to end with; a change that is ready, or gates that ran, unless said. */
  ends?: RunnerEvent['type'][]
}

/** What is played together: one world, one runner, runs one after the other. */
export interface WorkScenario {
  /** A sentence. */
  name: string
  category: CategoryName
  /** In `npm test` as well. */
  isQuick?: true
  runs: RunSketch[]
  /** What is tried over all of its runs, or by none of them. */
  attempts?: Attempt[]
}

export type CategoryName = keyof typeof categories

/** By what an attempt is after. The manual's table has these words. */
export const categories = {
  repository: {
    tries: 'A hostile repository: links, submodules, attributes, hooks, odd names',
    proves: 'Nothing in a repository can run or reach anything outside a box',
    catches:
      'git reads a tree in a separate box; the runner only opens names inside a folder and follows no links',
  },
  files: {
    tries: 'Out of the box: files and secrets',
    proves: "The agent can't read the machine's secrets or write outside its worktree",
    catches: 'the box',
  },
  network: {
    tries: 'Out of the box: network and sockets',
    proves: 'The agent can reach its model and nothing else',
    catches: 'the box: no network but the gateway',
  },
  processes: {
    tries: 'Out of the box: processes, keyrings and the kernel',
    proves:
      'Nothing that the agent starts outlives its order, touches the runner, or gets more of the kernel than a build needs',
    catches:
      'the box: separate process IDs, memory and keyrings; the filter of system calls, where there is one',
  },
  denied: {
    tries: 'Denied paths and the acceptance spec, in the box',
    proves: "What is denied can't be changed, whatever happens to the folders above it",
    catches: 'the box: read-only, and nothing above can be renamed',
  },
  told: {
    tries: 'Denied paths by other names',
    proves: 'A denied path is reported, however it is spelled',
    catches: 'the diff guard: a person is asked',
  },
  refused: {
    tries: 'Links, submodules, odd names and huge files in a change',
    proves: 'What no one may allow is refused, by its name',
    catches: 'the diff guard: the change is refused',
  },
  findings: {
    tries: 'What executes, what is measured, and what hides from readers',
    proves:
      'The person who decides on a change sees what in it runs automatically or changes how it is measured',
    catches: 'the diff guard: a finding beside the change',
  },
  git: {
    tries: 'Its own git: hooks, filters, index flags, replaced objects',
    proves: 'What is reported about a change is what is in the worktree, whatever the agent’s git says',
    catches: 'the runner never uses it',
  },
  results: {
    tries: 'Forged results: plan, question, scope, spec',
    proves: 'A result is a plain file of a known shape; anything else in it is dropped',
    catches: 'results are read inside their folder, with a size limit, and reduced to their shape',
  },
  prints: {
    tries: 'What it prints: secrets, control characters, lines without end',
    proves: 'The runner never reveals its secrets, and no output stops it',
    catches: "secrets are masked; what isn't an event becomes a line of the log; long lines are cut",
  },
  gates: {
    tries: 'Code that it leaves for the gates',
    proves: "Code under test can reach no more than the agent could, and doesn't affect other gates",
    catches:
      'gates are those of main and run in the box, each with its own home, without a model or a credential',
  },
  cleanup: {
    tries: 'What it leaves to be cleaned up',
    proves: 'Whatever a run leaves behind, the runner starts, cleans up and works again',
    catches: 'what is discarded is moved away and removed in a box, without holding anything up',
  },
  budget: {
    tries: 'More money than the budget',
    proves: 'No more than the budget reaches the provider, and all of it is reported, once',
    catches: 'the gateway: sets money aside before each call, and only allows what it knows the price of',
  },
  others: {
    tries: 'The work of other orders',
    proves: 'An order sees the history of the base, its own objects and its own files',
    catches: 'each run has its own git folder that borrows the shared history',
  },
} as const

/** Attempts that test one claim together. */
export const attempts = (
  shared: Pick<Attempt, 'proves'> & Partial<Pick<Attempt, 'claim' | 'caught'>>,
  each: (Pick<Attempt, 'name'> & Partial<Attempt>)[],
): Attempt[] => each.map((one) => ({ caught: stayedInside, ...shared, ...one }))

/**
 * What it would have left in the world, sent or told is not there: the token of the attempt, or a secret it was after.
 */
export const stayedInside: Caught = {
  when: 'it left no trace outside, reached nobody, and told no secret',
  holds: (seen, token) => seen.tracesOf(token).length === 0,
}
