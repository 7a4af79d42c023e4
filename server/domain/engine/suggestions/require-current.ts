import type { PolicySuggestion, SuggestionAnswer } from '@signalbox/contract/app/suggestions.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { findSuggestions } from './find.ts'

/** The suggestion that was answered, if it is still what people's answers suggest. The team is held. */
export async function requireCurrent(
  ctx: Context,
  tx: Tx,
  { team, basedOn, maxLines }: SuggestionAnswer,
): Promise<PolicySuggestion> {
  const [current] = await findSuggestions(ctx, tx, team)
  if (current?.basedOn === basedOn && current.maxLines === maxLines) return current
  throw new DomainError(
    'changed_meanwhile',
    current
      ? `The suggestion was changed in the meantime: it is now up to ${current.maxLines} lines, for version ${current.basedOn} of the policy. Read it again and repeat your answer.`
      : `There is no longer a suggestion for the policy of team \`${team}\`: the policy has changed, or a merge was answered differently, reverted or followed by an incident. Nothing was changed.`,
  )
}
