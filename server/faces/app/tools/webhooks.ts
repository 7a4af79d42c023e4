import type { reads, writes } from '@signalbox/contract/app/webhooks.ts'
import { addEndpoint } from '../../../domain/tools/webhooks/add.ts'
import { changeEndpoint } from '../../../domain/tools/webhooks/change.ts'
import { endFormerSecret } from '../../../domain/tools/webhooks/end-former-secret.ts'
import { listEndpoints } from '../../../domain/tools/webhooks/list.ts'
import { listMessages } from '../../../domain/tools/webhooks/list-messages.ts'
import { pauseEndpoint } from '../../../domain/tools/webhooks/pause.ts'
import { readEndpoint } from '../../../domain/tools/webhooks/read.ts'
import { readMessage } from '../../../domain/tools/webhooks/read-message.ts'
import { removeEndpoint } from '../../../domain/tools/webhooks/remove.ts'
import { replayFailed } from '../../../domain/tools/webhooks/replay.ts'
import { resendMessage } from '../../../domain/tools/webhooks/resend.ts'
import { resumeEndpoint } from '../../../domain/tools/webhooks/resume.ts'
import { rotateSecret } from '../../../domain/tools/webhooks/rotate-secret.ts'
import { sendTest } from '../../../domain/tools/webhooks/send-test.ts'
import { type Handlers, paged } from '../operation.ts'

export const webhooksHandlers: Handlers<typeof reads & typeof writes> = {
  'webhooks.list': async (ctx) => ({ data: await listEndpoints(ctx) }),
  'webhooks.read': (ctx, { webhook }) => readEndpoint(ctx, webhook),
  'webhooks.messages': (ctx, input, tools) => {
    const { webhook, state } = input
    return paged(ctx, tools, 'webhooks.messages', input, (page) =>
      listMessages(ctx, webhook, state === undefined ? {} : { state }, page),
    )
  },
  'webhooks.message': (ctx, { webhook, message }, tools) => readMessage(ctx, tools, webhook, message),
  'webhooks.add': (ctx, input, { secrets, webhooks: { sender } }) =>
    addEndpoint(ctx, { secrets, sender }, input),
  'webhooks.change': async (ctx, { webhook, ...input }, { webhooks }) => {
    await changeEndpoint(ctx, webhooks, webhook, input)
    return null
  },
  'webhooks.rotate': async (ctx, { webhook }, { secrets }) => {
    const { secret, formerUntil } = await rotateSecret(ctx, secrets, webhook)
    return { secret, formerSecretUntil: formerUntil.toISOString() }
  },
  'webhooks.endFormerSecret': async (ctx, { webhook }) => {
    await endFormerSecret(ctx, webhook)
    return null
  },
  'webhooks.pause': async (ctx, { webhook }) => {
    await pauseEndpoint(ctx, webhook)
    return null
  },
  'webhooks.resume': async (ctx, { webhook }) => {
    await resumeEndpoint(ctx, webhook)
    return null
  },
  'webhooks.remove': async (ctx, { webhook }) => {
    await removeEndpoint(ctx, webhook)
    return null
  },
  'webhooks.test': async (ctx, { webhook }, { webhooks }) => {
    const { eventId, status, answer, problem, durationMs } = await sendTest(ctx, webhooks, webhook)
    return { message: eventId, status, answer, problem, durationMs }
  },
  'webhooks.resend': async (ctx, { webhook, message }) => {
    await resendMessage(ctx, webhook, message)
    return null
  },
  'webhooks.replay': async (ctx, { webhook, since }) => ({
    count: await replayFailed(ctx, webhook, new Date(since)),
  }),
}
