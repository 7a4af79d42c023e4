import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Agent, AgentEvent, Turn, TurnEnd } from '../agents/agent.ts'
import type { Question } from '../agents/question.ts'
import type { Box } from '../box/box.ts'
import type { Gateway } from '../gateway/gateway.ts'

/** A small repository, with a home and a result folder as a run has them. */
export class Site implements Disposable {
  readonly #root = mkdtempSync(path.join(tmpdir(), 'agent-'))
  readonly worktree = path.join(this.#root, 'worktree')
  readonly home = path.join(this.#root, 'home')
  readonly out = path.join(this.#root, 'out')

  constructor() {
    for (const folder of [this.worktree, this.home, this.out]) mkdirSync(folder)
    const git = (...args: string[]) => execFileSync('git', args, { cwd: this.worktree })
    git('init', '-q', '-b', 'main')
    writeFileSync(path.join(this.worktree, 'README.md'), 'A small repository.\n')
    git('add', '-A')
    git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '-q', '-m', 'first')
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true })
  }
}

/** What was seen of a turn. */
export interface Seen {
  end: TurnEnd
  events: AgentEvent[]
  questions: Question[]
}

/** The way to a model that has no gateway in front of it. */
export const gatewayTo = (url: string): Gateway => ({
  ...{ socket: '', url, spentMicros: 0, isExhausted: false, modelTools: [] },
  close: async () => {},
})

/** Lets an agent do one turn, and hears all of it. */
export async function drive(agent: Agent, box: Box, site: Site, turn: Partial<Turn>): Promise<Seen> {
  const events: AgentEvent[] = []
  const questions: Question[] = []
  const { worktree, home, out } = site
  const end = await agent.turn(
    {
      task: {
        ...{ run: 'run-7k2q', attempt: 1, story: 'WEB-1', round: 0 },
        ...{ stage: 'implementing', purpose: 'implement' },
      },
      prompt: '',
      limits: {
        ...{ worktree, home, out, readable: [], denied: [], environment: {} },
        ...{ gateway: null, network: 'none' },
      },
      ...{ model: null, session: null, gateway: null, signIn: null, budgetUsd: null, readOnly: false },
      onEvent: (event) => {
        events.push(event)
        turn.onEvent?.(event)
      },
      ask: (question) => questions.push(question),
      cancelled: new AbortController().signal,
      ...Object.fromEntries(Object.entries(turn).filter(([name]) => name !== 'onEvent')),
    },
    box,
  )
  return { end, events, questions }
}
