import type { reads, writes } from '@signalbox/contract/app/members.ts'
import type { Answers } from './operation.ts'

export const membersAnswers: Answers<typeof reads & typeof writes> = {}
