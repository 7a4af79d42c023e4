import { randomUUID } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { practiceLabel } from '../domain/practice/project/content.ts'
import {
  approvePracticeRunner,
  foldersLeft,
  type LeasedProject,
  leaseProjects,
  releaseProjects,
  sayTrouble,
  tokenForRunner,
} from '../domain/practice/project/keep-runner.ts'
import { every } from '../infra/every.ts'
import { RunnerBeside } from '../infra/runner-beside.ts'
import { type PracticeFolders, practiceScript } from '../integrations/practice/ground.ts'
import type { Engine } from './engine.ts'
import type { Http } from './http.ts'
import type { Base, Part } from './parts.ts'

const everyMs = 2_000
/** One that ends is started again, but not at once. */
const againMs = 10_000
/** A folder is made before its project: one that is younger may be about to get one. */
const unclaimedMs = 3_600_000

/** Every agent but the scripted one is off: this runner is for practice alone. */
const agents = [
  `scripted=${practiceScript}`,
  ...['claude_code', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'pi'].map((name) => `${name}=off`),
].join(',')

/**
 * The runners of practice projects, beside the server and over the same protocol as any other. One process keeps each,
 * by a hold on the project that ends soon after the process does; a runner goes with its process.
 */
export function startPracticeRunners(
  { clock, log, storage: { db } }: Base,
  { publicUrl }: Pick<Http, 'publicUrl'>,
  { queue, ground }: Pick<Engine, 'queue' | 'ground'>,
): Part {
  const keeper = new Keeper({ services: { db, clock, queue }, publicUrl, ground })
  const turns = every(everyMs, 'keep practice runners', log, () => keeper.look())
  return {
    async stop() {
      await turns.stop()
      await keeper.stop()
    },
  }
}

interface KeeperOptions {
  services: Parameters<typeof leaseProjects>[0]
  publicUrl: () => string
  ground: PracticeFolders
}

const troubleOf = (said: string): string =>
  said.includes('--box bubblewrap')
    ? 'The agent works in a sandbox, which needs bubblewrap on the server’s machine. Check that it is installed and can create a sandbox there, and the practice project continues.'
    : said

const ageOf = async (folder: string): Promise<number> => Date.now() - (await stat(folder)).mtimeMs

class Keeper {
  readonly #options: KeeperOptions
  readonly #node = randomUUID()
  /** Folders that had a project while this process was there. */
  readonly #known = new Set<string>()
  readonly #runners = new Map<string, { runner: RunnerBeside; startedAt: number }>()

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  async look(): Promise<void> {
    const { services, ground } = this.#options
    const folders = (await readdir(ground.root)).filter((name) => ground.isFolder(name))
    if (folders.length === 0 && this.#runners.size === 0) return
    const held = await leaseProjects(services, this.#node, folders)
    for (const [folder, { runner }] of this.#runners)
      if (!held.some((project) => project.folder === folder)) {
        this.#runners.delete(folder)
        await runner.stop()
      }
    for (const project of held) {
      this.#known.add(project.folder)
      await this.#keep(project)
    }
    await this.#clear(folders)
  }

  /** What removed projects have left on this machine. Their runners have been stopped. */
  async #clear(folders: string[]): Promise<void> {
    const { services, ground } = this.#options
    for (const folder of await foldersLeft(services, folders)) {
      const isOver = this.#known.has(folder) || (await ageOf(ground.pathOf(folder))) > unclaimedMs
      if (isOver) await ground.clear(folder)
    }
  }

  async #keep(project: LeasedProject): Promise<void> {
    const { services } = this.#options
    const kept = this.#runners.get(project.folder)
    if (kept && kept.runner.ended === null) return approvePracticeRunner(services, project)
    if (kept) {
      await sayTrouble(services, project, troubleOf(kept.runner.ended!))
      if (performance.now() - kept.startedAt < againMs) return
    }
    const token = await tokenForRunner(services, project)
    if (token) this.#start(project, token)
  }

  #start({ folder }: LeasedProject, token: string): void {
    const { publicUrl, ground } = this.#options
    const place = ground.pathOf(folder)
    const args = [
      ...['--url', publicUrl(), '--name', 'Practice runner', '--data', path.join(place, 'runner')],
      ...['--labels', practiceLabel, '--agents', agents, '--git-folders', path.join(place, 'repositories')],
      // It is started at a click, on the machine of the server: what a story or a repository tells it to run stays boxed.
      ...['--box', 'bubblewrap'],
    ]
    const runner = new RunnerBeside({ token, args, say: () => {}, withModels: false })
    this.#runners.set(folder, { runner, startedAt: performance.now() })
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#runners.values()].map(({ runner }) => runner.stop()))
    if (this.#runners.size > 0) await releaseProjects(this.#options.services, this.#node)
  }
}
