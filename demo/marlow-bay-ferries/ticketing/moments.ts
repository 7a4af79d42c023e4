import { noor } from '../../actors.ts'
import type { DemoMoment } from '../../script.ts'
import { issueMoved, storyWritten } from '../../shorthand/moments.ts'

export const moments: DemoMoment[] = [
  storyWritten(5_905, ['FERRY-2', 'MBF-207'], noor),
  issueMoved(257, ['FERRY-1', 'MBF-203'], 'ferry-return-ticket', ['Todo', 'In Progress']),
]
