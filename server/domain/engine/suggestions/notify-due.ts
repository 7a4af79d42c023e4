import { firstIdAt } from '../../../infra/ids.ts'
import { notify } from '../../accounts/notifications/add.ts'
import { membersAtLeast } from '../../accounts/workspaces/members-at-least.ts'
import { asService, type Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { findWithDeclined } from './find.ts'
import { selectAnsweredOfAllWorkspaces } from './store.ts'
import { settlesAfterMs } from './suggest.ts'

const dayMs = 86_400_000
/** Looked at every hour; so a server that was away for less than a day misses none. */
const dueForMs = dayMs
/** Those that were answered later are left out here: the inbox shows what follows from them all the same. */
const answeredWithinMs = 7 * dayMs

/**
 * Notifies those who may answer a suggestion, once. It begins to exist with no event: a merge has become old enough to
 * count. So it is looked for in teams where one has within the last day.
 */
export async function notifyOfSuggestions(
  services: Pick<Context, 'db' | 'clock' | 'queue'>,
  onError: (error: Error) => void,
): Promise<void> {
  const until = new Date(services.clock.now().getTime() - settlesAfterMs)
  const from = new Date(until.getTime() - dueForMs)
  const fromId = firstIdAt(new Date(from.getTime() - answeredWithinMs))
  const teams = await selectAnsweredOfAllWorkspaces(services.db, {
    ...{ from, until, fromId, untilId: firstIdAt(new Date(until.getTime() + 1)) },
  })
  // What fails for one team is no reason not to tell the others.
  for (const { workspaceId, team } of teams)
    await notifyOfOne(asService(services, workspaceId), team).catch(onError)
}

async function notifyOfOne(ctx: Context, team: string): Promise<void> {
  const [found] = await findWithDeclined(ctx, ctx.db, team)
  if (!found) return
  const { teamName, asksAlways, limit, maxLines, merges } = found.suggestion
  const lines = maxLines === 1 ? '1 line' : `${maxLines} lines`
  await change(ctx, async (tx) => {
    await notify(ctx, tx, await membersAtLeast(tx, ctx.workspaceId, 'admin'), {
      kind: 'suggestion',
      thing: team,
      // More approvals make it a larger one, not another: only an answer or another limit does.
      what: `instead of ${asksAlways ? 'always' : limit}, declined ${found.declinedAt ?? 'never'}`,
      title: `${teamName}: merge changes of up to ${lines} without asking?`,
      body: `The last ${merges.length} merges of this kind were approved unchanged. Accept or decline the suggestion on the policy page.`,
    })
    // That someone was told something is no change of theirs: the notification is the record of it.
    return { value: undefined, audit: [] }
  })
}
