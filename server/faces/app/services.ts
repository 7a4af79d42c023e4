import type { reads, writes } from '@signalbox/contract/app/services.ts'
import type { Answers } from './operation.ts'

export const servicesAnswers: Answers<typeof reads & typeof writes> = {}
