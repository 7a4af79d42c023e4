import type { reads, writes } from '@signalbox/contract/app/requirements.ts'
import type { Answers } from './operation.ts'

export const requirementsAnswers: Answers<typeof reads & typeof writes> = {}
