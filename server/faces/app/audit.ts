import type { reads, writes } from '@signalbox/contract/app/audit.ts'
import type { Answers } from './operation.ts'

export const auditAnswers: Answers<typeof reads & typeof writes> = {}
