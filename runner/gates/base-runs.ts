import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { GatePlan, GateRun } from './gate.ts'
import { isSetUp } from './run.ts'

/** What gates came to on commits that runs began from, kept on the disk: a base is measured once. */
export class BaseRuns {
  readonly #folder: string
  /** Runs that begin from the same commit at the same time wait for one look. */
  readonly #looking = new Map<string, Promise<GateRun[]>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** By the commit and by how and in which image it is measured; if one of them changes, it is measured again. */
  async get(
    commit: string,
    plan: GatePlan,
    run: () => Promise<GateRun[]>,
    image: string | null = null,
  ): Promise<GateRun[]> {
    const name = createHash('sha256')
      .update(JSON.stringify([commit, plan.setUp, plan.gates, ...(image === null ? [] : [image])]))
      .digest('hex')
    const looking = this.#looking.get(name) ?? this.#find(name, run).finally(() => this.#looking.delete(name))
    this.#looking.set(name, looking)
    return looking
  }

  /** Those that were not requested since. */
  async forget(before: Date): Promise<void> {
    for (const name of await readdir(this.#folder).catch((): string[] => [])) {
      const file = path.join(this.#folder, name)
      if ((await stat(file)).mtimeMs < before.getTime()) await rm(file, { force: true })
    }
  }

  async #find(name: string, run: () => Promise<GateRun[]>): Promise<GateRun[]> {
    const file = path.join(this.#folder, `${name}.json`)
    const kept = await readFile(file, 'utf8').then(
      (text) => JSON.parse(text) as GateRun[],
      () => null,
    )
    if (kept) {
      const now = new Date()
      await utimes(file, now, now).catch(() => {})
      return kept
    }
    const runs = await run()
    if (isWorthKeeping(runs)) {
      await mkdir(this.#folder, { recursive: true })
      const fresh = `${file}-${randomBytes(4).toString('hex')}`
      await writeFile(fresh, JSON.stringify(runs))
      await rename(fresh, file)
    }
    return runs
  }
}

/** An unreachable registry or a cancelled run says nothing about the commit. */
const isWorthKeeping = (runs: GateRun[]) => runs.every((run) => !isSetUp(run) && run.result !== 'skipped')
