import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { fileDrafts } from './file-drafts.ts'
import type { Outcome } from './outcome.ts'
import { newSlug } from './slug.ts'
import { insertRequirement } from './store.ts'

interface Filing {
  team: { id: string; slug: string; keyPrefix: string }
  text: string
  splitter: string
  outcome: Outcome
}

/** Files a requirement with the result of splitting it: questions, or drafts. */
export async function fileRequirement(
  ctx: Context,
  tx: Tx,
  { team, text, splitter, outcome: { questions, drafts, notes } }: Filing,
): Promise<{ slug: string; audit: Entry[] }> {
  const at = ctx.clock.now()
  const requirement = { id: newId(at), slug: newSlug(text), team }
  await insertRequirement(tx, ctx.workspaceId, {
    id: requirement.id,
    slug: requirement.slug,
    teamId: team.id,
    text,
    status: questions.length > 0 ? 'clarifying' : 'drafted',
    questions: questions.map((question, index) => ({ id: `q-${index + 1}`, text: question, answer: null })),
    splitter,
    notes,
    submittedBy: ctx.actor.type === 'human' ? ctx.actor.userId : null,
    at,
  })
  const filed = await fileDrafts(ctx, tx, requirement, drafts, splitter)
  const submitted: Entry = {
    event: 'requirement_submitted',
    team: team.slug,
    entity: { type: 'requirement', id: requirement.slug },
    details: { questions, drafts: filed.keys, splitter },
  }
  return { slug: requirement.slug, audit: [submitted, ...filed.audit] }
}
