import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Agent, Turn } from '../agents/agent.ts'
import type { Box } from '../box/box.ts'
import { drive, gatewayTo, type Seen, type Site } from './drive.ts'
import type { Model } from './model/model.ts'

/** One agent on one site, against the scripted model: each scenario is a turn. */
export class Player {
  readonly #agent: Agent
  readonly #box: Box
  readonly #site: Site
  readonly #model: Model
  readonly #modelName: string | null

  constructor(agent: Agent, box: Box, site: Site, model: Model, modelName: string | null) {
    this.#agent = agent
    this.#box = box
    this.#site = site
    this.#model = model
    this.#modelName = modelName
  }

  play(scenario: string, turn: Partial<Turn> = {}): Promise<Seen> {
    const prompt = `Play scenario-${scenario}.`
    const gateway = gatewayTo(this.#model.url)
    return drive(this.#agent, this.#box, this.#site, { prompt, gateway, model: this.#modelName, ...turn })
  }

  /** Is told to stop while a command of its shell sleeps. */
  async cancel(): Promise<Seen & { seconds: number }> {
    const cancel = new AbortController()
    let cancelledAt = 0
    const turn = this.play('cancel', { cancelled: cancel.signal })
    let isOver = false
    void turn.finally(() => {
      isOver = true
    })
    while (!isOver && this.result('running') === null) await wait(20)
    cancelledAt = performance.now()
    cancel.abort()
    return { ...(await turn), seconds: (performance.now() - cancelledAt) / 1000 }
  }

  result(name: string): string | null {
    return this.#read(path.join(this.#site.out, name))
  }

  file(name: string): string | null {
    return this.#read(path.join(this.#site.worktree, name))
  }

  #read(file: string): string | null {
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  }
}

export const sessionOf = ({ events }: Seen): string | null =>
  events.findLast((event) => event.type === 'session')?.id ?? null

export const usageOf = ({ events }: Seen) =>
  events.filter((event) => event.type === 'usage').map(({ usage }) => usage)
