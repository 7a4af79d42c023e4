import { fromJson } from '@signalbox/contract/shapes.ts'
import { invalidate } from '../../../infra/cluster.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Web } from '../../ports/web.ts'
import type { Entry } from '../../record/audit/change.ts'
import type { EffectData } from '../../record/outbox/effect.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { confirmationUrl } from '../senders/cloudwatch/sns/confirmation-url.ts'
import { lockSource, selectSource, updateSource } from './store.ts'

type Subscription = EffectData['confirm_subscription']

/**
 * Confirms to Amazon that alarms of a topic are wanted. The first topic that is confirmed is the one the source is
 * bound to: messages of any other are refused from then on.
 */
export const confirmSubscription =
  (web: Web): Performer<'confirm_subscription'> =>
  async (ctx, effect) => {
    const data = effect.data
    const url = confirmationUrl(data)
    const source = await selectSource(ctx.db, ctx.workspaceId, data.source)
    if (!source || !url || !isFree(fromJson(source.json).settings, data.topicArn))
      return { settle: async () => [] }
    const confirmation = await web.confirm(url)
    if (confirmation.confirmed) return { settle: (tx) => bind(ctx, tx, data) }
    const { name } = fromJson(source.json)
    return {
      settle: async () => [
        {
          event: 'signal_source_changed',
          result: 'failure',
          entity: { type: 'signal_source', id: data.source, name },
          details: {
            change: 'topic not confirmed',
            topicArn: data.topicArn,
            reason: confirmation.reason,
          },
        },
      ],
    }
  }

async function bind(ctx: Context, tx: Tx, { source: id, topicArn }: Subscription): Promise<Entry[]> {
  const locked = await lockSource(tx, ctx.workspaceId, id)
  if (!locked) return []
  const { settings } = fromJson((await selectSource(tx, ctx.workspaceId, id))!.json)
  if (settings.topicArn) return []
  await updateSource(tx, ctx.workspaceId, id, { settings: { ...settings, topicArn } }, ctx.clock.now())
  await invalidate(tx)
  return [
    {
      event: 'signal_source_changed',
      entity: { type: 'signal_source', id, name: locked.name },
      details: { change: 'topic confirmed', topicArn },
    },
  ]
}

const isFree = ({ topicArn }: Record<string, unknown>, arn: string) => !topicArn || topicArn === arn
