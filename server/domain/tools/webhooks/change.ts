import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { WebhookSender } from '../../ports/webhook-sender.ts'
import { change } from '../../record/audit/change.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import type { NewEndpoint } from './add.ts'
import { lockEndpoint } from './lock.ts'
import { checkedDescription, checkedEvents, checkedTeams, checkedUrl, nameOf } from './settings.ts'
import { selectTeamSlugs, updateEndpoint } from './store.ts'

/** Changes where events go, or which. What waits to be sent goes to the new address. */
export async function changeEndpoint(
  ctx: Context,
  { sender }: { sender: Pick<WebhookSender, 'refusalOf'> },
  id: string,
  input: Partial<NewEndpoint>,
): Promise<void> {
  requireRole(ctx, 'admin', 'change a webhook endpoint')
  const url = input.url === undefined ? undefined : await checkedUrl(input.url, sender)
  await change(ctx, async (tx) => {
    const before = await lockEndpoint(ctx, tx, id)
    await refuseManaged(ctx, tx, 'webhooks', id)
    const slugs = async (ids: string[] | null) =>
      ids && (await selectTeamSlugs(tx, ctx.workspaceId, ids)).map(({ slug }) => slug)
    const teams =
      input.teams === undefined
        ? { ids: before.teamIds, slugs: await slugs(before.teamIds) }
        : ((await checkedTeams(tx, ctx.workspaceId, input.teams)) ?? { ids: null, slugs: null })
    const after = {
      url: url ?? before.url,
      description: checkedDescription(input.description ?? before.description),
      events: checkedEvents(input.events ?? before.events),
    }
    // A path may be a secret: that it changed is told, not from what into what.
    const addressOf = (address: string) => new URL(address).host
    const changes = [
      ...(after.url === before.url
        ? []
        : [{ field: 'url', before: addressOf(before.url), after: addressOf(after.url) }]),
      ...(['description', 'events'] as const)
        .filter((field) => !isDeepStrictEqual(before[field], after[field]))
        .map((field) => ({ field, before: before[field], after: after[field] })),
      ...(isDeepStrictEqual(new Set(before.teamIds), new Set(teams.ids)) &&
      (before.teamIds === null) === (teams.ids === null)
        ? []
        : [{ field: 'teams', before: await slugs(before.teamIds), after: teams.slugs }]),
    ]
    if (changes.length === 0)
      throw new DomainError('conflict', 'Nothing to change: the endpoint already has these settings.')
    await updateEndpoint(tx, ctx.workspaceId, id, { ...after, teamIds: teams.ids }, ctx.clock.now())
    return {
      value: undefined,
      audit: {
        event: 'webhook_endpoint_changed',
        entity: { ...before.entity, name: nameOf(after) },
        details: { change: 'changed', changes },
      },
    }
  })
}
