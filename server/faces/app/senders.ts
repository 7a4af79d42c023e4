import type { reads } from '@signalbox/contract/app/senders.ts'
import { listSenders } from '../../domain/senders/list.ts'
import type { Answers } from './operation.ts'

export const sendersAnswers: Answers<typeof reads> = {
  'senders.list': async () => ({ data: listSenders() }),
}
