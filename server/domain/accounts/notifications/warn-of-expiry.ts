import { asService, type Context } from '../../context.ts'
import { moment } from '../../plain-text.ts'
import { change } from '../../record/audit/change.ts'
import { expiringTokens } from '../tokens/list-expiring.ts'
import { notify } from './add.ts'

const dayMs = 86_400_000
/** How long before, in days. */
const warnings = [1, 7]

/** Tells people that a token of theirs expires: a week before, and a day before. */
export async function warnOfExpiry(services: Pick<Context, 'db' | 'clock' | 'queue'>): Promise<void> {
  const now = services.clock.now()
  const until = new Date(now.getTime() + Math.max(...warnings) * dayMs)
  for (const token of await expiringTokens(services.db, now, until)) {
    const ctx = asService(services, token.workspaceId)
    const days = warnings.find((some) => token.expiresAt.getTime() - now.getTime() <= some * dayMs)!
    await change(ctx, async (tx) => {
      await notify(ctx, tx, [token.personId], {
        kind: 'token',
        thing: token.id,
        what: `expires in ${days}`,
        title: `Your token “${token.name}” expires ${days === 1 ? 'within a day' : 'within a week'}`,
        body: `It stops working at ${moment(token.expiresAt)}. Create a new one and replace it where it is used.`,
      })
      return { value: undefined, audit: [] }
    })
  }
}
