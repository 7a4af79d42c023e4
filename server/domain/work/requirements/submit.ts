import { maxRequirementLength } from '@signalbox/contract/limits.ts'
import type { Requirement } from '@signalbox/contract/requirement.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import type { Splitter } from '../../ports/splitter.ts'
import { change } from '../../record/audit/change.ts'
import { once } from '../../record/idempotency/once.ts'
import { requireRole } from '../../roles.ts'
import { checkedText } from '../../text.ts'
import { readTeam } from '../teams/read.ts'
import { fileRequirement } from './file-requirement.ts'
import { outcomeOf } from './outcome.ts'
import { readRequirement } from './read.ts'

/** Takes in a requirement, and drafts stories from it or asks what is missing. */
export async function submitRequirement(
  ctx: Context,
  splitter: Splitter,
  input: { team: string; text: string; idempotencyKey?: string | undefined },
): Promise<Json<Requirement>> {
  requireRole(ctx, 'member', 'submit a requirement')
  const text = checkedText('text', input.text, { least: 1, most: maxRequirementLength })
  const team = fromJson(await readTeam(ctx, input.team))
  const asked = { text, answers: [] }
  const outcome = outcomeOf(await splitter.split(asked, team), asked)
  const request = JSON.stringify(['submit', team.slug, text])
  const slug = await change(ctx, async (tx) =>
    once(ctx, tx, { key: input.idempotencyKey, request }, async () => {
      const filed = await fileRequirement(ctx, tx, { team, text, splitter: splitter.name, outcome })
      return { value: JSON.stringify(filed.slug) as Json<string>, audit: filed.audit }
    }),
  )
  return readRequirement(ctx, fromJson(slug))
}
