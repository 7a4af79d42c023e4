import type { PolicySuggestion } from '@signalbox/contract/app/suggestions.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import { findSuggestions } from './find.ts'

/** What the answers of people suggest for the policies of their teams. */
export async function listSuggestions(ctx: Context): Promise<PolicySuggestion[]> {
  requireRole(ctx, 'admin', "change a team's policy")
  return findSuggestions(ctx, ctx.db)
}
