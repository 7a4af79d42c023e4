import type { reads, writes } from '@signalbox/contract/app/teams.ts'
import type { Answers } from './operation.ts'

export const teamsAnswers: Answers<typeof reads & typeof writes> = {}
