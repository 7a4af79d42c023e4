import type { Gate } from '@signalbox/contract/run.ts'
import { sql } from 'kysely'
import { initialParts } from '../../domain/engine/machine/parts.ts'
import type { TeamRepository } from '../../domain/ports/git-host.ts'
import type { WorkEvent } from '../../domain/ports/work.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import type { Db } from '../../infra/db/db.ts'
import { BundleReader } from '../../integrations/bundles/bundle-reader.ts'
import { tables } from '../tables.ts'
import type { ABareRepository } from './bare-repository.ts'
import { goesWell, type TestEngine } from './engine.ts'
import { HonestRunner, type Made, passed } from './honest-runner.ts'
import { type Beginning, OneRun } from './one-run.ts'

const changes = new BundleReader()

const names = { api: 'halden/api', web: 'halden/web' } as const
type Which = keyof typeof names

/**
 * A run in two repositories and a runner for it, by hand and with real git, each step apart. While the runner works the
 * team has no repository, so that the test is given the orders; the host's turn begins with `bind`.
 */
export class TwoRepositories {
  readonly db: Db
  readonly run: OneRun
  readonly git: Record<Which, ABareRepository>
  readonly runners: Record<Which, HonestRunner>
  readonly at: Record<Which, Omit<TeamRepository, 'name'>>

  private constructor(of: Pick<TwoRepositories, 'db' | 'run' | 'git' | 'at'>) {
    this.db = of.db
    this.run = of.run
    this.git = of.git
    this.at = of.at
    this.runners = { api: new HonestRunner(of.run, of.git.api), web: new HonestRunner(of.run, of.git.web) }
  }

  static async begin(
    db: Db,
    engine: TestEngine,
    { git, at, departures }: Pick<TwoRepositories, 'git' | 'at'> & Required<Pick<Beginning, 'departures'>>,
  ): Promise<TwoRepositories> {
    engine.changes = changes
    const run = await OneRun.begin(engine, { departures })
    const memory = JSON.stringify(initialParts(Object.values(names)))
    await housekeeping(db, 'a run in two repositories for a test', (tx) =>
      sql`
        update runs set memory = memory || ${memory}::jsonb where workspace_id = ${run.owner.workspaceId}
      `.execute(tables(tx)),
    )
    return new TwoRepositories({ db, run, git, at })
  }

  /** Up to the moment at which the change is to be made. */
  async start(): Promise<void> {
    const { api, web } = this.git
    const others = [{ name: names.web, base: web.tip('main')! }]
    await this.tell({ ...goesWell.plan })
    await this.tell({ ...goesWell.begun, base: api.tip('main')!, others })
    const spec = await this.runners.api.pinned()
    await this.tell({ type: 'spec_pinned', spec, summary: 'It fails, as it should.' })
  }

  /** A commit in one of them; the spec is in the first. */
  async make(which: Which, files: Record<string, string>): Promise<Made> {
    if (which === 'api') return this.runners.api.make(files, this.base('api'))
    const { web } = this.git
    const base = this.base('web')
    return this.runners.web.made(
      base,
      await web.push(`work-${web.git('rev-list', '--all', '--count')}`, files, base),
    )
  }

  /** Where the run began there. */
  readonly base = (which: Which): string => (this.#bases[which] ??= this.git[which].tip('main')!)
  readonly #bases: Partial<Record<Which, string>> = {}

  ready(api: Made, web?: Made): Extract<WorkEvent, { type: 'change_ready' }> {
    if (!web) return this.runners.api.ready(api)
    const { change, work, diff } = web
    return { ...this.runners.api.ready(api), others: [{ name: names.web, change, work, diff }] }
  }

  tell(event: WorkEvent): Promise<void> {
    return this.runners.api.tell(event)
  }

  /** The gates of each that was changed, in their turns. */
  async measure(made: Partial<Record<Which, Made>>, gates: Gate[] = passed): Promise<void> {
    for (const which of ['api', 'web'] as const)
      if (made[which]) await this.tell(await this.runners.api.measured(made[which], gates))
  }

  push(which: Which, head: string): Promise<void> {
    return this.tell(this.runners[which].push(head))
  }

  /** Says to the server where the repositories are: from here on it is the host's turn. */
  bind(): Promise<void> {
    const { workspaceId } = this.run.owner
    return housekeeping(this.db, 'repositories for a test', async (tx) => {
      for (const which of ['api', 'web'] as const) {
        const { host, address, branch, connectionId, remoteId } = this.at[which]
        await sql`
          insert into team_repositories (workspace_id, team_id, name, host, address, branch, connection_id, remote_id)
          values (${workspaceId}, ${this.run.team.id}, ${names[which]}, ${host}, ${address}, ${branch},
            ${connectionId}, ${remoteId})
        `.execute(tables(tx))
      }
    })
  }

  /** The runner's turn again. */
  unbind(): Promise<void> {
    const { workspaceId } = this.run.owner
    return housekeeping(this.db, 'repositories for a test', async (tx) => {
      await sql`delete from team_repositories where workspace_id = ${workspaceId}`.execute(tables(tx))
    })
  }

  /** The whole way to the host, as it should be. */
  async handOver(files: Record<Which, Record<string, string>>): Promise<Record<Which, Made>> {
    await this.start()
    const made = { api: await this.make('api', files.api), web: await this.make('web', files.web) }
    await this.tell(this.ready(made.api, made.web))
    await this.measure(made)
    await this.push('api', made.api.work.head)
    await this.bind()
    await this.push('web', made.web.work.head)
    return made
  }
}
