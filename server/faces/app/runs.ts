import type { reads, writes } from '@signalbox/contract/app/runs.ts'
import type { Answers } from './operation.ts'

export const runsAnswers: Answers<typeof reads & typeof writes> = {}
