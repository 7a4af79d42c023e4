import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Actor, Context } from '../../context.ts'
import { startOfDay } from '../../days.ts'
import { readSpan, readStorms, type Span } from '../../record/audit/read-span.ts'
import { listDecisionRows } from '../decisions/list-rows.ts'
import { type Night, type PersonalInbox, reportedEvents } from './compose.ts'
import { selectSpending, selectUnblocked } from './store.ts'

/** More than that is a number, not a report. */
const mostEntries = 5_000
const mostDecisions = 200

/** Acts for the person whose report it is: what they may not see is not read for them. */
export type PersonContext = Context & { actor: Extract<Actor, { type: 'human' }> }

/** What happened in a workspace within a span. */
export async function readNight({ db, workspaceId }: Context, span: Span): Promise<Night> {
  const [entries, storms, spending] = await Promise.all([
    readSpan(db, workspaceId, span, reportedEvents, mostEntries),
    readStorms(db, workspaceId, span),
    selectSpending(db, workspaceId, { ...span, day: startOfDay(span.until) }),
  ])
  return { entries, isCut: entries.length === mostEntries, storms, spending }
}

/** What waits in the inbox of a person, of what was raised before then. */
export async function readPersonalInbox(ctx: PersonContext, until: Date): Promise<PersonalInbox> {
  const page = { limit: mostDecisions, after: null }
  const { data } = await listDecisionRows(ctx, { status: 'pending', snoozed: false }, page)
  const decisions = data.map(fromJson).filter(({ createdAt }) => Date.parse(createdAt) < until.getTime())
  const keys = decisions.map(({ key }) => key)
  const unblocked = keys.length > 0 ? await selectUnblocked(ctx.db, ctx.workspaceId, keys) : []
  return { role: ctx.actor.role, decisions, unblocked }
}
