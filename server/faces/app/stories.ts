import type { reads, writes } from '@signalbox/contract/app/stories.ts'
import type { Answers } from './operation.ts'

export const storiesAnswers: Answers<typeof reads & typeof writes> = {}
