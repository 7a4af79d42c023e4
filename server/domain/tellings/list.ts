import type { Telling } from '@signalbox/contract/app/incidents.ts'
import type { Context } from '../context.ts'
import { selectTellings } from './store.ts'

/** Who was told of an incident, and where, oldest first. */
export const listTellings = (ctx: Context, incidentKey: string): Promise<readonly Telling[]> =>
  selectTellings(ctx.db, ctx.workspaceId, incidentKey)
