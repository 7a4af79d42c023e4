import type { StoryListed } from '@signalbox/contract/story.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { placeStoryWithin } from './place.ts'

type Role = StoryListed['column']['role']

export interface PlacedMany {
  moved: { key: string; from: Role }[]
  refused: { key: string; reason: string }[]
}

/**
 * Puts several stories into one column, together. One that cannot go there says why and holds up none of the others; each
 * that goes has its own entry.
 */
export async function placeStories(ctx: Context, keys: readonly string[], to: Role): Promise<PlacedMany> {
  requireRole(ctx, 'member', 'move stories')
  return change(ctx, async (tx) => {
    const value: PlacedMany = { moved: [], refused: [] }
    const audit: Entry[] = []
    // Everyone who moves several takes them in this order, so that two of them never wait for each other.
    for (const key of [...new Set(keys)].toSorted()) {
      try {
        const placed = await placeStoryWithin(ctx, tx, key, to)
        value.moved.push({ key, from: placed.from })
        audit.push(placed.audit)
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        value.refused.push({ key, reason: error.message })
      }
    }
    return { value, audit }
  })
}
