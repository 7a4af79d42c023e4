import type { StoryListed } from '@signalbox/contract/story.ts'
import { CircleCheck, CircleDashed, CircleX } from 'lucide-react'
import type { Look } from '../ui/badge.tsx'

type Role = StoryListed['column']['role']

export const columnRoles: Role[] = ['backlog', 'refining', 'ready', 'in_progress', 'review', 'done']

export const columnNames: Record<Role, string> = {
  backlog: 'Backlog',
  refining: 'Refining',
  ready: 'Ready',
  in_progress: 'In progress',
  review: 'Review',
  done: 'Done',
}

export const sizes = ['xs', 's', 'm', 'l', 'xl'] as const
export const complexities = ['low', 'medium', 'high'] as const

export const criterionStates: Record<'passed' | 'failed' | 'unverified', Look> = {
  passed: { tone: 'ok', icon: CircleCheck, word: 'Passed' },
  failed: { tone: 'danger', icon: CircleX, word: 'Failed' },
  unverified: { tone: 'neutral', icon: CircleDashed, word: 'Not verified' },
}

/** Words of the contract as a person reads them: `timed_out` is "Timed out". */
export const spoken = (word: string): string =>
  word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ')
