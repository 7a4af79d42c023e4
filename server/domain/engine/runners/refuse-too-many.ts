import { asksFor } from '@signalbox/contract/remedy.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { countRunners, lockRunnersOf } from './store.ts'

/** How many runners may come with one token, and how many a workspace may have. Removed ones do not count. */
export interface MostRunners {
  perToken: number
  perWorkspace: number
}

/** Refuses one runner too many; the one that comes is counted. */
export async function refuseTooMany(
  ctx: Context,
  tx: Tx,
  tokenId: string,
  { perToken, perWorkspace }: MostRunners,
): Promise<void> {
  // One after the other: those who come at the same time would not see each other.
  await lockRunnersOf(tx, ctx.workspaceId)
  const { ofToken, ofWorkspace } = await countRunners(tx, ctx.workspaceId, tokenId)
  if (ofToken > perToken)
    throw new DomainError(
      'runner_limit',
      `${perToken} runners already use this token. Create another token for this one, or remove runners that are gone. ${asksFor('RUNNERS_PER_TOKEN', perToken)}`,
    )
  if (ofWorkspace > perWorkspace)
    throw new DomainError(
      'runner_limit',
      `The workspace already has ${perWorkspace} runners. Remove runners that are gone. ${asksFor('RUNNERS_PER_WORKSPACE', perWorkspace)}`,
    )
}
