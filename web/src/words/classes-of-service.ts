import type { StoryListed } from '@signalbox/contract/story.ts'

export const classNames: Record<StoryListed['classOfService'], string> = {
  expedite: 'Expedite',
  fixed_date: 'Fixed date',
  standard: 'Standard',
  intangible: 'Intangible',
}
