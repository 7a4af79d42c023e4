import type { RehearsedSuggestion } from '@signalbox/contract/app/suggestions.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import { readPolicy } from '../../work/policies/read.ts'
import { rehearsePolicy } from '../rehearsals/rehearse.ts'
import { findSuggestions } from './find.ts'
import { suggestedPolicy } from './suggested-policy.ts'

/** The suggestion for a team's policy, with what that policy would have made of its latest runs. */
export async function readSuggestion(ctx: Context, team: string): Promise<RehearsedSuggestion | null> {
  requireRole(ctx, 'admin', "change a team's policy")
  const policy = await readPolicy(ctx, team)
  const [suggestion] = await findSuggestions(ctx, ctx.db, team)
  // Changed between the two reads: the next look shows what is then.
  if (!policy || suggestion?.basedOn !== policy.version) return null
  return { ...suggestion, rehearsal: await rehearsePolicy(ctx, team, suggestedPolicy(policy, suggestion)) }
}
