import type { reads } from '@signalbox/contract/app/senders.ts'
import { listSenders } from '../../../domain/on-call/senders/list.ts'
import type { Handlers } from '../operation.ts'

export const sendersHandlers: Handlers<typeof reads> = {
  'senders.list': async () => ({ data: listSenders() }),
}
