import type { MergeRead } from '@signalbox/contract/merge-read.ts'
import type { Context } from '../../context.ts'
import type { GitHost, MainRequest, Verified } from '../../ports/git-host.ts'
import { isAnotherRed, mainLook } from '../../work/repositories/main-look.ts'
import { reportMain } from '../lifecycle/report-main.ts'
import type { Memory } from '../machine/machine.ts'
import type { Part } from '../machine/parts.ts'

/** Whose merge is about to be made. */
interface Before extends MainRequest {
  teamId: string
  /** Of a run in several repositories: which of them; null: the team's first. */
  at: string | null
  mainRed: boolean
  /** What mends a red main branch is not held: an expedite story, or another attempt of the run that broke it. */
  mends: boolean
  /** Of a run in several repositories: all of them. */
  parts: readonly Pick<Part, 'merged'>[]
  verified: Verified | null
  onBase: Memory['onBase']
  /** What a runner found for this run. */
  mainSeen: Memory['mainSeen']
}

export type MainBefore =
  | { read: MergeRead['main'] }
  /** Not now, and why. */
  | { held: string }
  /** No one knows its state at this commit: a runner has to look first. */
  | { lookAt: string }

const onHold = 'The main branch is red. Merges are on hold.'
const onHoldByAnother = 'The main branch of another repository of the team is red. Merges are on hold.'

/**
 * Looks at the main branch before something is merged into it, whatever broke it. Where the host checks it, the host is
 * asked; elsewhere a runner must have looked at the branch's current commit. What is found is recorded.
 */
export async function mainBefore(
  ctx: Context,
  gitHost: Pick<GitHost, 'readMain'>,
  request: Before,
): Promise<MainBefore> {
  const { team, mends, mainRed } = request
  const now = await gitHost.readMain(request)
  if (!now && !request.repository)
    return mainRed && !mends
      ? { held: onHold }
      : { read: { commit: null, state: mainRed ? 'red' : 'unknown', by: null } }
  if (!now) return { held: 'The main branch could not be read. Nothing is merged until it is.' }
  if (await isHeldByAnother(ctx, request)) return { held: onHoldByAnother }
  const { commit } = now
  const look = await mainLook(ctx.db, ctx.workspaceId, request.teamId, request.at)
  const isKept = look.state === 'kept'
  if (now.state === 'pending')
    return mends || isKept
      ? { read: { commit, state: 'pending', by: 'host' } }
      : { held: 'Waiting for the checks of the main branch to finish.' }
  const found = now.state === 'unchecked' ? seenAt(commit, look, request) : now
  if (!found) {
    if (mends || isKept) return { read: { commit, state: 'unchecked', by: null } }
    return { lookAt: commit }
  }
  if (found.state === 'green' ? mainRed || isKept : !mainRed)
    await reportMain(ctx, team, { ...found, repository: request.at })
  const by = now.state === 'unchecked' ? 'runner' : 'host'
  if (found.state === 'green') return { read: { commit, state: 'green', by } }
  return mends || isKept ? { read: { commit, state: isKept ? 'kept' : 'red', by } } : { held: onHold }
}

/** A team's change may need all of its repositories. What is merged in one of them already is not left half done. */
async function isHeldByAnother(
  { db, workspaceId }: Context,
  { teamId, at, mainRed, mends, parts }: Before,
): Promise<boolean> {
  if (!mainRed || mends || parts.some(({ merged }) => merged !== null)) return false
  return isAnotherRed(db, workspaceId, teamId, at)
}

/** What runners know of the main branch at this commit: one has looked, or the work began there. */
function seenAt(
  commit: string,
  look: Awaited<ReturnType<typeof mainLook>>,
  { verified, onBase, mainSeen }: Pick<Before, 'verified' | 'onBase' | 'mainSeen'>,
) {
  if (mainSeen?.commit === commit)
    return mainSeen.state === 'green'
      ? ({ state: 'green', commit } as const)
      : ({ state: 'red', commit, findings: 'A runner found it red.' } as const)
  if (look.commit === commit && look.state === 'green') return { state: 'green', commit } as const
  if (look.commit === commit && look.state)
    return { state: 'red', commit, findings: 'A runner found it red.' } as const
  if (!onBase || verified?.base !== commit) return null
  return onBase.failed.length === 0
    ? ({ state: 'green', commit } as const)
    : ({ state: 'red', commit, findings: failingOn(onBase.failed) } as const)
}

export const failingOn = (gates: readonly string[]) =>
  `Failing on the main branch: ${gates.slice(0, 20).join(', ')}.`
