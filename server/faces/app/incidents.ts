import type { reads, writes } from '@signalbox/contract/app/incidents.ts'
import type { Answers } from './operation.ts'

export const incidentsAnswers: Answers<typeof reads & typeof writes> = {}
