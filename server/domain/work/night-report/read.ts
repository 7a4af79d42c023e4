import type { NightReport } from '@signalbox/contract/app/night-report.ts'
import { reportSettingsOf } from '../../accounts/notifications/report-settings.ts'
import { DomainError } from '../../errors.ts'
import type { Span } from '../../record/audit/read-span.ts'
import { composeReport } from './compose.ts'
import { morningOf, spanStartOf } from './morning.ts'
import { type PersonContext, readNight, readPersonalInbox } from './read-night.ts'
import { selectLastEnd, selectMornings, selectReport } from './store.ts'

/** The report of a morning; without one, of the last night up to now. */
export async function readReport(ctx: PersonContext, morning: string | null): Promise<NightReport> {
  if (morning === null) return compose(ctx, null, await untilNow(ctx))
  const sent = await readSent(ctx, morning)
  if (!sent) throw new DomainError('not_found', `You have no night shift report of ${morning}.`)
  return sent
}

/** As it was sent on a morning; of what waited then, what waits now. Null: none was. */
export async function readSent(ctx: PersonContext, morning: string): Promise<NightReport | null> {
  const span = await selectReport(ctx.db, ctx.workspaceId, ctx.actor.userId, morning)
  return span ? compose(ctx, morning, span) : null
}

async function compose(ctx: PersonContext, morning: string | null, span: Span): Promise<NightReport> {
  const [night, theirs] = await Promise.all([readNight(ctx, span), readPersonalInbox(ctx, span.until)])
  return composeReport({ morning, ...span }, night, theirs)
}

/** The mornings on which a person was sent one, newest first. */
export const listMornings = (ctx: PersonContext): Promise<string[]> =>
  selectMornings(ctx.db, ctx.workspaceId, ctx.actor.userId)

/** From where this morning's begins, sent or not: at noon a reader sees the night and what came after. */
async function untilNow(ctx: PersonContext): Promise<Span> {
  const now = ctx.clock.now()
  const { userId } = ctx.actor
  const last = morningOf(now, await reportSettingsOf(ctx.db, userId))
  const sent = await selectReport(ctx.db, ctx.workspaceId, userId, last.morning)
  const from =
    sent?.from ?? spanStartOf(last, await selectLastEnd(ctx.db, ctx.workspaceId, userId, last.morning), now)
  return { from, until: now }
}
