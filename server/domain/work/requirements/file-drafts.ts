import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { ProposedStory } from '../../proposed-story.ts'
import type { Entry } from '../../record/audit/change.ts'
import { fileStory } from '../stories/file.ts'

/** Files what was drafted from a requirement, and says so of each draft. */
export async function fileDrafts(
  ctx: Context,
  tx: Tx,
  requirement: { id: string; slug: string; team: { id: string; slug: string; keyPrefix: string } },
  drafts: ProposedStory[],
  splitter: string,
): Promise<{ keys: string[]; audit: Entry[] }> {
  const keys: string[] = []
  const audit: Entry[] = []
  for (const draft of drafts) {
    const filing = { column: 'refining', draft: true, requirementId: requirement.id } as const
    const { key } = await fileStory(ctx, tx, requirement.team, draft, filing)
    keys.push(key)
    audit.push({
      event: 'story_changed',
      team: requirement.team.slug,
      entity: { type: 'draft', id: key, name: draft.title },
      details: { change: 'drafted', requirement: requirement.slug, splitter },
    })
  }
  return { keys, audit }
}
