import type { reads, writes } from '@signalbox/contract/app/tokens.ts'
import type { Answers } from './operation.ts'

export const tokensAnswers: Answers<typeof reads & typeof writes> = {}
