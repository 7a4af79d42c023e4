import type { Draft, RequirementPage } from '@signalbox/contract/app/requirements.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import type { SingleTracker } from '../../ports/single-tracker.ts'
import { readinessOf } from '../stories/readiness.ts'
import { type DraftRow, selectIsBound, selectRequirementPage } from './store.ts'

/** A requirement with its drafts: each with what it lacks, and with what the tracker said of it. */
export async function readRequirementPage(
  ctx: Context,
  tracker: SingleTracker | null,
  slug: string,
): Promise<RequirementPage> {
  const requirement = await selectRequirementPage(ctx.db, ctx.workspaceId, slug)
  if (!requirement) throw notFound('requirement', slug)
  const hasTracker = tracker !== null || (await selectIsBound(ctx.db, ctx.workspaceId, requirement.team))
  return { ...requirement, hasTracker, drafts: requirement.drafts.map(draftOf) }
}

function draftOf(row: DraftRow): Draft {
  const { draft: _, asked: __, written: ___, ...shown } = row
  return { ...shown, missing: readinessOf(row).missing, state: stateOf(row) }
}

function stateOf({ draft, written, asked, failure }: DraftRow): Draft['state'] {
  if (draft) return 'draft'
  if (written) return 'written'
  if (!asked) return 'approved'
  return failure ? 'failing' : 'writing'
}
