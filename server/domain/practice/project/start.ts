import type { Tx } from '../../../infra/db/db.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { addService } from '../../on-call/services/create.ts'
import { insertNewSource } from '../../on-call/sources/add.ts'
import type { PracticeGround, PracticePlace } from '../../ports/practice-ground.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { addPolicy, checkedPolicy } from '../../work/policies/change.ts'
import { replaceRepositories } from '../../work/repositories/replace.ts'
import { fileStory } from '../../work/stories/file.ts'
import { addTeam } from '../../work/teams/create.ts'
import { practicePolicy, practiceService, practiceStory, practiceTeam } from './content.ts'
import { insertProject, selectFreeNames, selectProject } from './store.ts'

export interface PracticeTools {
  ground: PracticeGround
  secrets: Pick<Secrets, 'encrypt'>
}

/**
 * Makes a practice project: a repository in a folder of its own, then a team, a story that is ready, a service and a
 * source, all of it or nothing. Its runner is started by the process that finds it (server/app/practice.ts).
 */
export async function startPractice(ctx: Context, { ground, secrets }: PracticeTools): Promise<void> {
  requireRole(ctx, 'admin', 'start a practice project')
  if (ctx.actor.type !== 'human')
    throw new DomainError('insufficient_role', 'A person starts a practice project.')
  if (await selectProject(ctx.db, ctx.workspaceId)) throw alreadyThere()
  const obstacle = await ground.obstacle()
  if (obstacle)
    throw new DomainError(
      'conflict',
      obstacle.line ? `${obstacle.why} Install it there: ${obstacle.line}` : obstacle.why,
    )
  const place = await ground.prepare()
  try {
    await change(ctx, (tx) => make(ctx, tx, secrets, place))
  } catch (error) {
    await ground.clear(place.folder)
    throw error
  }
}

async function make(ctx: Context, tx: Tx, secrets: PracticeTools['secrets'], place: PracticePlace) {
  const { team, entries } = await makeTeam(ctx, tx, place)
  const story = await fileStory(ctx, tx, team, practiceStory, { column: 'ready', draft: false })
  const service = await addService(ctx, tx, {
    name: (await selectFreeNames(tx, ctx.workspaceId, practiceService)).service,
    team: team.slug,
    repositories: [{ url: place.address, path: '' }],
  })
  const source = await insertNewSource(ctx, tx, secrets, {
    ...{ kind: 'generic' as const, name: 'Practice alerts', services: [service.id] },
  })
  const isFirst = await insertProject(tx, ctx.workspaceId, {
    personId: ctx.actor.type === 'human' ? ctx.actor.userId : '',
    folder: place.folder,
    ...{ teamId: team.id, storyId: story.id, serviceId: service.id, sourceId: source.id },
    at: ctx.clock.now(),
  })
  if (!isFirst) throw alreadyThere()
  const filed: Entry = {
    event: 'story_changed',
    team: team.slug,
    entity: { type: 'story', id: story.key, name: practiceStory.title },
    details: { change: 'created' },
  }
  return { value: undefined, audit: [...entries, filed, service.entry, source.entry] }
}

/** A team that was removed keeps its slug and its prefix: the next one has a number. */
async function makeTeam(ctx: Context, tx: Tx, { address, branch }: PracticePlace) {
  const { number } = await selectFreeNames(tx, ctx.workspaceId, practiceService)
  const suffix = number === 1 ? '' : String(number)
  const input = {
    ...practiceTeam,
    slug: suffix ? `practice-${suffix}` : 'practice',
    keyPrefix: `TRY${suffix}`,
  }
  const added = await addTeam(ctx, tx, input)
  const team = { id: added.id, slug: input.slug, name: input.name, keyPrefix: input.keyPrefix }
  const name = 'practice-shop'
  await replaceRepositories(tx, ctx.workspaceId, team.id, [
    { name, host: 'local', address, branch, connectionId: null, remoteId: null },
  ])
  const policy = await addPolicy(ctx, tx, team, checkedPolicy(practicePolicy))
  const created: Entry = {
    event: 'team_created',
    team: team.slug,
    entity: { type: 'team', id: team.slug, name: team.name },
    details: { keyPrefix: team.keyPrefix, preset: practicePolicy.preset },
  }
  return { team, entries: [created, policy.audit] }
}

const alreadyThere = () =>
  new DomainError(
    'conflict',
    'This workspace has a practice project already. Continue with it, or remove it first.',
  )
