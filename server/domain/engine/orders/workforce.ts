import type { Obstacle } from '@signalbox/contract/app/stories.ts'
import { executorNames } from '@signalbox/contract/executor-names.ts'
import { isolationFacts, isolationLacks, isolationWith, lackingFor } from '@signalbox/contract/isolation.ts'
import { asksFor } from '@signalbox/contract/remedy.ts'
import { imageFeature, severalFeature } from '@signalbox/contract/runner/messages.ts'
import type { Db, Tx } from '../../../infra/db/db.ts'
import type { WorkPort } from '../../ports/work.ts'
import type { PolicyVersion } from '../../work/policies/change.ts'
import { teamRepositories } from '../../work/repositories/of-team.ts'
import { canReadRepository } from './can-read-repository.ts'
import { selectOffered, selectWorkers, type Waiting, type Worker } from './workforce-store.ts'

/** Who could do a team's work now. */
export interface Workforce {
  /** Whether the worker in this process can use that coding agent. */
  work: Pick<WorkPort, 'serves'>
  /** What of it is known of runners. Null: the team has no repository, so that none can do anything for it. */
  runners: readonly Worker[] | null
  teamId: string
  /** The team's repositories, by name. */
  repositories: readonly string[]
  /** Where they are, in the same order. */
  addresses: readonly string[]
  /** Whether the work on the team's repository runs in an image. */
  needsImage: boolean
  /** Orders for that agent which wait for a runner. */
  waiting: readonly Waiting[]
}

/** For work with that agent. */
export async function readWorkforce(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  now: Date,
  { work, executor }: { work: Pick<WorkPort, 'serves'>; executor: PolicyVersion['executor'] },
): Promise<Workforce> {
  const all = await teamRepositories(db, workspaceId, teamId)
  const [repository] = all
  if (!repository)
    return { work, teamId, repositories: [], addresses: [], runners: null, needsImage: false, waiting: [] }
  return {
    work,
    teamId,
    repositories: all.map(({ name }) => name),
    addresses: all.map(({ address }) => address),
    needsImage: (repository.inside ?? 'tools') !== 'tools',
    runners: await selectWorkers(db, workspaceId, now),
    waiting: await selectOffered(db, workspaceId, executor),
  }
}

type Demands = Pick<PolicyVersion, 'executor' | 'isolation'> & {
  runnerLabels?: string[] | undefined
  /** The work is in several repositories at once. */
  isInSeveral?: boolean
}

export const noRepository: Obstacle = { by: 'repository', reason: 'The team has no repository.' }

/** What is missing to do work under a policy; null: someone can do it. */
export function unserved(
  { work, teamId, addresses, runners: all, needsImage, waiting }: Workforce,
  { executor, isolation, runnerLabels = [], isInSeveral = false }: Demands,
): Obstacle | null {
  const lacks = (reason: string): Obstacle => ({ by: 'runner', reason })
  if (all === null) return work.serves(executor) ? null : noRepository
  if (all.length === 0) return lacks('No runner is connected.')
  const runners = all.filter((runner) => worksFor(runner, teamId))
  if (runners.length === 0) return lacks('No connected runner works for this team.')
  const labelled = runners.filter((runner) => hasAll(runner, runnerLabels))
  if (labelled.length === 0)
    return lacks(
      `No connected runner has the label${runnerLabels.length > 1 ? 's' : ''} ${listed(runnerLabels)}.`,
    )
  const versed = labelled.filter(({ features }) => !isInSeveral || features.includes(severalFeature))
  if (versed.length === 0)
    return lacks(
      'The story is about several repositories, and no connected runner can work in more than one. Upgrade the runner.',
    )
  const equipped = versed.filter(({ features }) => !needsImage || features.includes(imageFeature))
  if (equipped.length === 0) return lacks(noImages(versed))
  const reading = equipped.filter(({ git }) => {
    const isRead = (address: string) => canReadRepository(git, address) !== false
    return isInSeveral ? addresses.every(isRead) : addresses.length === 0 || addresses.some(isRead)
  })
  if (reading.length === 0) return lacks(unreadable(equipped, addresses))
  const able = reading.filter(({ executors }) => executors.some(({ name }) => name === executor))
  const which = labelled.length < runners.length ? 'runner with the right labels' : 'runner'
  if (able.length === 0)
    return {
      by: 'agent',
      reason: `No connected ${which} can use ${executorNames[executor]}. ${instead(reading)}`,
    }
  const lackingOf = (runner: Worker) =>
    lackingFor(isolation, isolationWith(runner.isolation, accessOf(runner, executor)))
  const kept = able.filter((runner) => lackingOf(runner).length === 0)
  if (kept.length === 0) {
    if (able.some((runner) => lackingFor(isolation, runner.isolation).length === 0))
      return lacks(
        `${executorNames[executor]} uses a subscription on the runner, so the runner cannot ${isolationFacts.networkOnlyToGateway}.`,
      )
    const nearest = able.map(lackingOf).reduce((least, next) => (next.length < least.length ? next : least))
    const feats = nearest.map((lack) => isolationLacks[lack])
    const nearly = able.length < runners.length ? `runner with ${executorNames[executor]}` : 'runner'
    return lacks(`No connected ${nearly} can ${listed(feats)}.`)
  }
  const awake = kept.filter(({ rests }) => !rests)
  if (awake.length === 0 && kept.every(({ isPending }) => isPending))
    return lacks(
      kept.length === 1
        ? 'The runner that could do it is waiting for an admin’s approval.'
        : `All ${kept.length} runners that could do it are waiting for an admin’s approval.`,
    )
  if (awake.length === 0)
    return lacks(
      kept.length === 1
        ? 'The runner that could do it is paused or draining.'
        : `All ${kept.length} runners that could do it are paused or draining.`,
    )
  const slots = awake.reduce((sum, runner) => sum + runner.slots, 0)
  const free = awake.reduce((sum, runner) => sum + Math.max(0, runner.slots - runner.busy), 0)
  // What only others can take takes no slot of these.
  const before = waiting.filter(({ labels, teamId: team }) =>
    awake.some((runner) => worksFor(runner, team) && hasAll(runner, labels)),
  )
  if (free > before.reduce((sum, { orders }) => sum + orders, 0)) return null
  return {
    by: 'runner_slots',
    reason: `Waiting for a runner: ${slots === 1 ? 'its only slot is' : `all ${slots} slots are`} taken.`,
  }
}

/** What they can use: the team may be content with it. */
function instead(runners: readonly Worker[]): string {
  const found = new Set(runners.flatMap(({ executors }) => executors.map(({ name }) => executorNames[name])))
  return found.size === 0 ? 'No coding agent is available.' : `Available: ${listed([...found])}.`
}

/** A folder that a runner may not use, or a machine without git. */
function unreadable(runners: readonly Worker[], addresses: readonly string[]): string {
  if (runners.every(({ git }) => git?.version === null))
    return 'No connected runner has git. Install it there.'
  const folder = addresses.find((address) =>
    runners.every(({ git }) => canReadRepository(git, address) === false),
  )!
  return `No connected runner can read the repository ${folder}. ${asksFor('--git-folders', folder)}`
}

/** Names the runners, because someone has to go to one of them. */
function noImages(runners: readonly Worker[]): string {
  const names = runners.slice(0, 3).map(({ name }) => name)
  const more = runners.length > 3 ? [`${runners.length - 3} more`] : []
  const verb = runners.length === 1 ? 'doesn’t' : 'don’t'
  return `The repository’s work runs in an image, and ${listed([...names, ...more])} ${verb} have podman and bubblewrap working. Run signalbox-runner doctor there.`
}

const accessOf = ({ executors }: Worker, executor: PolicyVersion['executor']) =>
  executors.find(({ name }) => name === executor)?.access

export const worksFor = ({ teamIds }: Worker, teamId: string) =>
  teamIds.length === 0 || teamIds.includes(teamId)

export const hasAll = (runner: Worker, labels: string[]) =>
  labels.every((label) => runner.labels.includes(label))

const listed = (parts: string[]) =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
