import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { senders } from '../senders/index.ts'
import { parseDelivery } from '../signals/parse-delivery.ts'
import type { Received } from '../signals/receive.ts'
import { readSource } from './read.ts'
import type { Intake } from './send-test.ts'

/**
 * Delivers an alert of our own to one of our own sources, the way any other comes: signed with its secret, proven, read
 * and written to the intake.
 */
export async function deliverOwn(ctx: Context, intake: Intake, id: string, alert: object): Promise<Received> {
  const stored = fromJson(await readSource(ctx, id))
  const source = await intake.sources.find(stored.token)
  if (!source || stored.kind === 'uptime') throw notFound('source', id)
  const at = ctx.clock.now()
  const body = JSON.stringify(alert)
  const { secrets, settings } = source.proof(at)
  const { headers, query } = senders[stored.kind].proving.sign({
    body,
    secret: secrets[0] ?? '',
    settings,
    at,
  })
  const delivered = {
    body: Buffer.from(body),
    headers: { 'content-type': 'application/json', ...headers },
    query: query ?? {},
  }
  const reading = await parseDelivery({ ...intake, clock: ctx.clock }, source, delivered)
  return intake.receiver.receive(source, reading, ctx)
}
