import { DomainError } from '../../errors.ts'
import type { LockedStory } from '../stories/lock.ts'

/** Lets through what still waits to be approved or rejected. */
export function requireDraft({ key, draft, approvedAt }: LockedStory): void {
  if (draft) return
  throw new DomainError(
    'conflict',
    approvedAt
      ? `Draft \`${key}\` was already approved at ${approvedAt.toISOString()}.`
      : `\`${key}\` is a story, not a draft: there is nothing to approve or reject.`,
  )
}
