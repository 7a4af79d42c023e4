import type { reads, writes } from '@signalbox/contract/app/account.ts'
import type { PersonalAnswers } from './operation.ts'

export const accountAnswers: PersonalAnswers<typeof reads & typeof writes> = {}
