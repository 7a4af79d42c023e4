import type { reads, writes } from '@signalbox/contract/app/sources.ts'
import type { Answers } from './operation.ts'

export const sourcesAnswers: Answers<typeof reads & typeof writes> = {}
