import { createHash } from 'node:crypto'
import path from 'node:path'
import type { Repository } from '@signalbox/contract/service.ts'
import { asService } from '../../server/domain/context.ts'
import type { History, Merge, MergeDiff } from '../../server/domain/ports/history.ts'
import { listMerged } from '../../server/domain/work/runs/list-merged.ts'
import { systemClock } from '../../server/infra/clock.ts'
import type { Db } from '../../server/infra/db/db.ts'
import { silentQueue } from '../../server/infra/jobs/queue.ts'
import { tables } from '../../server/test/tables.ts'
import { merges } from '../halden-parcels/merges.ts'
import { haldenParcels } from '../halden-parcels/workspace.ts'
import { scriptedDiff } from '../shorthand/diff.ts'
import { codeHost } from '../shorthand/repositories.ts'

/**
 * The history of the code of the teams whose work is played: what their runs have merged, those of a visitor too, and
 * what people did. Other repositories are read as they are.
 */
export class PlayedHistory implements History {
  readonly #db: Db
  readonly #others: History | null

  constructor(db: Db, others: History | null) {
    this.#db = db
    this.#others = others
  }

  async recentMerges(repository: Repository, since: Date): Promise<Merge[]> {
    if (!repository.url.startsWith(codeHost)) {
      if (!this.#others) throw new Error(`${repository.url} is not a repository of the demo.`)
      return this.#others.recentMerges(repository, since)
    }
    const slug = path.basename(repository.url, '.git')
    const found = [...(await this.#ofRuns(slug, since)), ...(await this.#ofPeople(slug))]
    return found
      .filter(({ mergedAt }) => mergedAt >= since)
      .toSorted((a, b) => b.mergedAt.getTime() - a.mergedAt.getTime())
  }

  /** A few lines in each of its files: what no one wrote has no other lines. */
  async diffOf(repository: Repository, commit: string): Promise<MergeDiff> {
    if (!repository.url.startsWith(codeHost)) {
      if (!this.#others) throw new Error(`${repository.url} is not a repository of the demo.`)
      return this.#others.diffOf(repository, commit)
    }
    const found = (await this.recentMerges(repository, new Date(0))).find((merge) => merge.commit === commit)
    if (!found) throw new Error(`${commit} is not a merge of the demo.`)
    const { paths } = found
    const text = scriptedDiff({ paths, additions: 4 * paths.length, deletions: 2 * paths.length })
    return { text, isCut: false }
  }

  async #ofRuns(slug: string, since: Date): Promise<Merge[]> {
    const team = await tables(this.#db)
      .selectFrom('teams')
      .innerJoin('workspaces', 'workspaces.id', 'teams.workspace_id')
      .select(['teams.id', 'teams.workspace_id as workspaceId'])
      .where('teams.slug', '=', slug)
      .where('workspaces.slug', '=', haldenParcels.slug)
      .executeTakeFirst()
    if (!team) return []
    const ctx = asService({ db: this.#db, clock: systemClock, queue: silentQueue }, team.workspaceId)
    const runs = await listMerged(ctx, team.id, since)
    return runs.map(({ commit, mergedAt, story, pullRequest, paths }) => ({
      ...{ commit, mergedAt, author: 'Signalbox', title: `${story.key}: ${story.title}` },
      ...{ pullRequest: pullRequest.number, paths },
    }))
  }

  /** Counted back from when the demo was made, like everything of its past. */
  async #ofPeople(slug: string): Promise<Merge[]> {
    const begun = await tables(this.#db)
      .selectFrom('workspaces')
      .select('created_at as at')
      .where('slug', '=', haldenParcels.slug)
      .executeTakeFirstOrThrow()
    const made = new Date(begun.at).getTime() + haldenParcels.createdMinutesAgo * 60_000
    return merges
      .filter(({ repository }) => repository === slug)
      .map(({ minutesAgo, author, title, pullRequest, paths }) => ({
        ...{ author, title, pullRequest, paths },
        commit: createHash('sha1').update(`${slug}#${pullRequest}`).digest('hex'),
        mergedAt: new Date(made - minutesAgo * 60_000),
      }))
  }
}
