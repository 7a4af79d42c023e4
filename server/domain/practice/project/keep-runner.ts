import { createToken } from '../../accounts/tokens/create.ts'
import { findMember } from '../../accounts/workspaces/find-member.ts'
import { type Context, theService } from '../../context.ts'
import { approveRunner } from '../../engine/runners/approve.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { endToken } from './end-token.ts'
import {
  type LeasedProject,
  leaseProjectsOfAllWorkspaces,
  noteRunner,
  noteTrouble,
  releaseProjectsOfAllWorkspaces,
  selectFoldersInUseOfAllWorkspaces,
  selectPracticeRunners,
} from './store.ts'

export type { LeasedProject } from './store.ts'

type Services = Pick<Context, 'db' | 'clock' | 'queue'>

/** As long as the process that keeps a runner says so in time, no other starts one. */
const holdMs = 20_000

/** Whose runner this process keeps: of the folders that are on this machine. */
export function leaseProjects({ db, clock }: Services, node: string, folders: string[]) {
  const now = clock.now()
  const until = new Date(now.getTime() + holdMs)
  return housekeeping(db, 'which process runs a practice runner', (tx) =>
    leaseProjectsOfAllWorkspaces(tx, { node, folders, now, until }),
  )
}

export const releaseProjects = ({ db }: Services, node: string): Promise<void> =>
  housekeeping(db, 'which process runs a practice runner', (tx) => releaseProjectsOfAllWorkspaces(tx, node))

/** What the runner of a project signs in with, for one start of it; null: its person has left, or it is being removed. */
export async function tokenForRunner(services: Services, project: LeasedProject): Promise<string | null> {
  const ctx = await asPerson(services, project)
  if (!ctx) {
    await sayTrouble(services, project, 'The person who started the practice project has left the workspace.')
    return null
  }
  await endToken(ctx, project)
  // The person pressed a button, once; each token after that is the server's doing.
  const { id, token } = await createToken(
    { ...ctx, actor: theService },
    {
      ...{ personId: project.personId, name: 'Practice runner' },
      ...{ permissions: ['read' as const], expires: '30d' as const },
    },
  )
  const isWanted = await housekeeping(services.db, 'what a practice runner signs in with', (tx) =>
    noteRunner(tx, project.workspaceId, id),
  )
  if (isWanted) return token
  await endToken(ctx, { tokenId: id })
  return null
}

/** Of these folders, those that belong to no project: it was removed. */
export async function foldersLeft({ db }: Services, folders: string[]): Promise<string[]> {
  const inUse = await selectFoldersInUseOfAllWorkspaces(db, folders)
  return folders.filter((folder) => !inUse.includes(folder))
}

export const sayTrouble = (
  { db }: Services,
  { workspaceId }: LeasedProject,
  trouble: string,
): Promise<void> =>
  housekeeping(db, 'why a practice runner does not start', (tx) => noteTrouble(tx, workspaceId, trouble))

/** Where new runners need approval, the person who started the project has given it for this one. */
export async function approvePracticeRunner(services: Services, project: LeasedProject): Promise<void> {
  const pending = (await selectPracticeRunners(services.db, project.workspaceId)).filter(
    ({ state }) => state === 'pending',
  )
  const ctx = pending.length > 0 ? await asPerson(services, project) : null
  if (ctx) for (const { id } of pending) await approveRunner(ctx, id)
}

async function asPerson(
  services: Services,
  { workspaceId, personId }: LeasedProject,
): Promise<Context | null> {
  const member = await findMember(services.db, workspaceId, personId)
  if (!member) return null
  const actor = { type: 'human' as const, userId: member.id, name: member.name, role: member.role }
  return { ...services, workspaceId, actor, channel: 'app' }
}
