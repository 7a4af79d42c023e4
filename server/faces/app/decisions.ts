import type { reads, writes } from '@signalbox/contract/app/decisions.ts'
import type { Answers } from './operation.ts'

export const decisionsAnswers: Answers<typeof reads & typeof writes> = {}
