import type { reads, writes } from '@signalbox/contract/app/insights.ts'
import type { Answers } from './operation.ts'

export const insightsAnswers: Answers<typeof reads & typeof writes> = {}
