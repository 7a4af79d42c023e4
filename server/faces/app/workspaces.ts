import type { reads, writes } from '@signalbox/contract/app/workspaces.ts'
import type { Answers } from './operation.ts'

export const workspacesAnswers: Answers<typeof reads & typeof writes> = {}
