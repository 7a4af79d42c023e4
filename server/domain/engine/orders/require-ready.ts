import { DomainError } from '../../errors.ts'
import type { LockedStory } from '../../work/stories/lock.ts'

/** A story that a person asks to be begun has to be one that a team could begin. */
export function requireReady({ key, draft, column, readinessScore }: LockedStory): void {
  if (draft) throw conflict(`\`${key}\` is a draft. Approve it first.`)
  if (column !== 'ready')
    throw conflict(`\`${key}\` is in ${column.replace('_', ' ')}. Move it to Ready first.`)
  if (readinessScore < 100)
    throw conflict(`The readiness of \`${key}\` is ${readinessScore} of 100. Complete the story first.`)
}

const conflict = (message: string) => new DomainError('conflict', message)
