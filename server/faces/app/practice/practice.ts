import type { reads, writes } from '@signalbox/contract/app/practice.ts'
import { offerPractice } from '../../../domain/practice/project/offer.ts'
import { removePractice } from '../../../domain/practice/project/remove.ts'
import { sendPracticeAlert } from '../../../domain/practice/project/send-alert.ts'
import { startPractice } from '../../../domain/practice/project/start.ts'
import type { Handlers } from '../operation.ts'

export const practiceHandlers: Handlers<typeof reads & typeof writes> = {
  'practice.read': (ctx, _, { ground }) => offerPractice(ctx, ground),
  'practice.start': async (ctx, _, { ground, secrets }) => {
    await startPractice(ctx, { ground, secrets })
    return null
  },
  'practice.alert': async (ctx, _, { intake }) => {
    await sendPracticeAlert(ctx, intake)
    return null
  },
  'practice.remove': async (ctx) => {
    await removePractice(ctx)
    return null
  },
}
