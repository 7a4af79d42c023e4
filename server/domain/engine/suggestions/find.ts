import type { PolicySuggestion } from '@signalbox/contract/app/suggestions.ts'
import type { Db, Tx } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { parseFacts } from '../../work/decisions/facts.ts'
import { mergeLimit } from '../machine/machine.ts'
import { type AskedTeam, selectAskedMerges } from './store.ts'
import { type AskedMerge, suggestLimit } from './suggest.ts'

/** Half a year. */
const looksBackMs = 183 * 86_400_000

/** What people's answers suggest now: of one team, or of all. Nothing of it is stored, so none is out of date. */
export const findSuggestions = async (
  ctx: Context,
  handle: Db | Tx,
  team?: string,
): Promise<PolicySuggestion[]> =>
  (await findWithDeclined(ctx, handle, team)).map(({ suggestion }) => suggestion)

/** The same, with when the one before it was declined. */
export async function findWithDeclined(
  ctx: Context,
  handle: Db | Tx,
  team?: string,
): Promise<{ suggestion: PolicySuggestion; declinedAt: string | null }[]> {
  const now = ctx.clock.now()
  const fromId = firstIdAt(new Date(now.getTime() - looksBackMs))
  const teams = await selectAskedMerges(handle, ctx.workspaceId, { fromId, team })
  return teams.flatMap((asked) => {
    const suggestion = suggestionOf(asked, now)
    return suggestion ? [{ suggestion, declinedAt: asked.declined?.at ?? null }] : []
  })
}

function suggestionOf(asked: AskedTeam, now: Date): PolicySuggestion | null {
  const limit = mergeLimit(asked)
  if (limit === null) return null
  const { team, teamName, version, mergePolicy } = asked
  const asksAlways = mergePolicy === 'ask'
  const declined = asked.declined && { ...asked.declined, at: new Date(asked.declined.at) }
  const merges = ofThisKind(asked, asksAlways ? 'policy' : 'lines', limit)
  const found = suggestLimit(merges, { limit, declined, now })
  return (
    found && {
      ...{ team, teamName, basedOn: version, asksAlways, limit, maxLines: found.maxLines },
      merges: found.merges.map(({ decision, title, lines }) => ({ decision, title, lines })),
    }
  )
}

/**
 * Those that were asked about only because of what the policy still says. Under another limit people were asked about
 * others, and what else needs a person will need one under any limit.
 */
const ofThisKind = ({ merges }: AskedTeam, because: 'policy' | 'lines', limit: number): AskedMerge[] =>
  merges.flatMap(({ facts, answeredAt, ...merge }) => {
    const recalled = parseFacts('merge_approval', facts)
    const about = recalled.kind === 'merge_approval' ? recalled.facts : null
    const reasons = about?.because ?? []
    if (about?.limit !== limit || reasons.length !== 1 || reasons[0] !== because) return []
    return [{ ...merge, lines: about.lines, answeredAt: new Date(answeredAt) }]
  })
