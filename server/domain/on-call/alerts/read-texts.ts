import type { Context } from '../../context.ts'
import { type QuotedAlert, selectQuotedAlerts } from './store.ts'

export type { QuotedAlert } from './store.ts'

/** What the alerts of an incident say, oldest first. */
export const readAlertTexts = (
  ctx: Context,
  incidentId: string,
  most: number,
): Promise<readonly QuotedAlert[]> => selectQuotedAlerts(ctx.db, ctx.workspaceId, incidentId, most)
