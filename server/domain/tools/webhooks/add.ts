import { maxWebhookEndpoints } from '@signalbox/contract/limits.ts'
import { newId } from '../../../infra/ids.ts'
import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { WebhookSender } from '../../ports/webhook-sender.ts'
import { change } from '../../record/audit/change.ts'
import type { Creating } from '../../record/audit/creating.ts'
import { requireRole } from '../../roles.ts'
import { newSecret, secretRow } from './secret.ts'
import { checkedDescription, checkedEvents, checkedTeams, checkedUrl, nameOf } from './settings.ts'
import { countEndpoints, insertEndpoint } from './store.ts'

export interface NewEndpoint {
  url: string
  description: string
  events: string[]
  /** Ids; null for all teams. */
  teams: string[] | null
}

/** Adds an endpoint that events are sent to from now on. The secret is shown here and never again. */
export async function addEndpoint(
  ctx: Context,
  { secrets, sender }: { secrets: Pick<Secrets, 'encrypt'>; sender: Pick<WebhookSender, 'refusalOf'> },
  input: NewEndpoint,
  creating?: Creating,
): Promise<{ id: string; secret: string }> {
  requireRole(ctx, 'admin', 'add a webhook endpoint')
  const description = checkedDescription(input.description)
  const events = checkedEvents(input.events)
  const url = await checkedUrl(input.url, sender)
  const secret = newSecret()
  return change(ctx, async (tx) => {
    if ((await countEndpoints(tx, ctx.workspaceId)) >= maxWebhookEndpoints)
      throw new DomainError(
        'conflict',
        `A workspace can have ${maxWebhookEndpoints} webhook endpoints. Remove one you no longer need.`,
      )
    const teams = await checkedTeams(tx, ctx.workspaceId, input.teams)
    const at = ctx.clock.now()
    const id = newId(at)
    await insertEndpoint(tx, ctx.workspaceId, {
      ...{ id, url, description, events, at },
      teamIds: teams?.ids ?? null,
      secret: secrets.encrypt(secret, secretRow(id)),
    })
    return {
      value: { id, secret },
      audit: [
        {
          event: 'webhook_endpoint_changed',
          entity: { type: 'webhook_endpoint', id, name: nameOf({ url, description }) },
          details: { change: 'added', host: new URL(url).host, events, teams: teams?.slugs ?? null },
        },
        ...(creating ? [await creating(tx, id)] : []),
      ],
    }
  })
}
